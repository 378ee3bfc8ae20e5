import fc from 'fast-check'
import { type Step, StepKind } from '../../src/domains/flows/index.js'
import { nextOf, type Plan } from '../../src/domains/flows/schedule.service.js'
import { isOpen, type SendWindow } from '../../src/domains/flows/window.service.js'

const step = fc.oneof(
  fc.integer({ min: 1, max: 5 * 86_400 }).map((waitSeconds): Step => ({ kind: StepKind.WAIT, waitSeconds })),
  fc.constant<Step>({ kind: StepKind.SEND, templateId: 't', senderId: null }),
  fc.constant<Step>({ kind: StepKind.TAG, tagId: 't' }),
  fc.constant<Step>({ kind: StepKind.STOP }),
)
const OFFICE: SendWindow = { days: [1, 2, 3, 4, 5], from: '09:00', until: '18:00' }
const plan = fc.record({
  steps: fc.array(step, { maxLength: 12 }),
  sendWindow: fc.constantFrom(null, OFFICE),
  zone: fc.constantFrom('America/Sao_Paulo', 'America/New_York', 'Europe/Lisbon'),
})
const instant = fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2026-12-31') })

/** Goes through a flow as the worker does, by a clock that jumps to whatever is due. */
function walk(plan: Plan, from: number): { step: number; at: number }[] {
  const done: { step: number; at: number }[] = []
  let next = nextOf(plan, 0, new Date(from))
  while (next) {
    const at = next.dueAt.getTime()
    done.push({ step: next.step, at })
    next = nextOf(plan, next.step + 1, next.dueAt)
  }
  return done
}

test('every step but the waits happens, in order, after the waits before it, and mails within the hours', () => {
  const property = fc.property(plan, instant, (plan, from) => {
    const done = walk(plan, from)
    const doing = plan.steps.flatMap(({ kind }, i) => (kind === StepKind.WAIT ? [] : [i]))
    expect(done.map(({ step }) => step)).toEqual(doing)
    let [before, place] = [from, 0]
    for (const { step, at } of done) {
      const waits = plan.steps.slice(place, step) as { waitSeconds: number }[]
      const earliest = before + waits.reduce((sum, { waitSeconds }) => sum + waitSeconds * 1000, 0)
      const { kind } = plan.steps[step]!
      const confined = kind === StepKind.SEND && plan.sendWindow
      if (!confined || isOpen(OFFICE, plan.zone, earliest)) expect(at).toBe(earliest)
      else {
        expect(at).toBeGreaterThan(earliest)
        expect([isOpen(OFFICE, plan.zone, at), isOpen(OFFICE, plan.zone, at - 1)]).toEqual([true, false])
        expect(at - earliest).toBeLessThan(4 * 86_400_000) // a weekend and a night, with clocks that change
      }
      before = at
      place = step + 1
    }
  })
  fc.assert(property, { numRuns: process.env.FULL === 'true' ? 3000 : 300 })
})
