import type { Fault } from '../../shared/errors.js'
import { Lifecycle } from './pipeline.entity.js'

/** Stages that a pipeline has at most. */
export const MAX_STAGES = 100

/** What a stage does to an opportunity that enters it. */
export interface StageEffect {
  isWinStage: boolean
  isLossStage: boolean
  lifecycle: Lifecycle | null
}

const NONE: StageEffect = { isWinStage: false, isLossStage: false, lifecycle: null }
const ENDINGS: readonly (Lifecycle | null)[] = [Lifecycle.WON, Lifecycle.LOST]

/**
 * The effect of a stage after what was given of it; adds a fault when the parts contradict each other. A win or loss
 * stage gets its timestamp when nothing is said of one, and a stage that is neither any more loses it.
 */
export function effectOf(
  given: { [Name in keyof StageEffect]?: StageEffect[Name] | null },
  path: Fault['path'],
  faults: Fault[],
  present: StageEffect = NONE,
): StageEffect {
  const isWinStage = given.isWinStage ?? present.isWinStage
  const isLossStage = given.isLossStage ?? present.isLossStage
  if (isWinStage && isLossStage) {
    const named = given.isLossStage ? 'isLossStage' : 'isWinStage'
    faults.push({ path: [...path, named], message: 'a stage cannot be both a win and a loss stage' })
  }
  const ending = isWinStage ? Lifecycle.WON : isLossStage ? Lifecycle.LOST : null
  if (given.lifecycle !== undefined) {
    const { lifecycle } = given
    if (ENDINGS.includes(lifecycle) && lifecycle !== ending) {
      const kind = lifecycle === Lifecycle.WON ? 'win' : 'loss'
      faults.push({ path: [...path, 'lifecycle'], message: `goes with a ${kind} stage alone` })
    }
    return { isWinStage, isLossStage, lifecycle }
  }
  const flagged = given.isWinStage !== undefined || given.isLossStage !== undefined
  const kept = present.lifecycle
  const lifecycle = flagged && (kept === null || ENDINGS.includes(kept)) ? ending : kept
  return { isWinStage, isLossStage, lifecycle }
}
