import { Scope } from '../../src/database/index.js'
import { type Composer, type ComposerTask, composer } from '../../src/domains/workflows/composer.service.js'
import { makeAiAgent } from './factories/conversations.js'
import { makeTenant } from './factories.js'
import { type AiService, SOFIA } from './talking.js'

/** A composer under test, in a service that is there for it alone. */
export interface ComposerUnderTest {
  service: AiService['service']
  /**
   * Has the next reply be this, where somebody has to be told what to say; of the criteria these are found, each with the
   * lead's words. A composer that goes by an agent's scripts needs none of it.
   */
  expects(reply: string | null, found: { criterion: string; quote: string }[], hasCriteria: boolean): void
  stop(): Promise<void>
}

const LEAD = { name: 'Ana Souza', company: 'Aurora', title: '' }
const SCRIPTS = [{ keywords: ['preço'], reply: 'O kit custa 100, {{first_name}}.' }]
const { criteria: CRITERIA } = SOFIA
const FOUND = [
  { criterion: 'Has a budget', quote: 'temos orçamento' },
  { criterion: 'Too expensive', quote: 'caro' },
]

/** What every composer holds to: each of them runs these tests. */
export function composerContract(name: string, start: () => Promise<ComposerUnderTest>): void {
  describe(`the contract of composers, kept by ${name}`, () => {
    let under: ComposerUnderTest
    beforeAll(async () => {
      under = await start()
    })
    afterAll(() => under.stop())

    async function make(fields: Partial<ComposerTask['agent']> = {}, lead = LEAD) {
      const { database } = under.service
      const { accountId } = await makeTenant(under.service)
      const { id } = await makeAiAgent(database, accountId)
      const agent = {
        ...{ id, name: 'Sofia', persona: 'A consultant.', opening: 'Olá {{first_name}}, aqui é {{agent_name}}.' },
        ...{ openingTemplate: null, scripts: SCRIPTS, fallback: null, criteria: CRITERIA },
        ...fields,
      }
      const db = Scope.ofSystem(database, accountId)
      const writer: Composer = db.get(composer)
      const stored = async () => {
        const text = `select (select count(*) from message) as messages, (select count(*) from conversation) as conversations,
          (select count(*) from conversation_note) as notes, (select count(*) from agent_run) as runs`
        return (await database.pool.query(text)).rows
      }
      const opening = () => writer.opening(db, { agent, lead, said: [] })
      const reply = (said: ComposerTask['said']) => writer.reply(db, { agent, lead, said })
      return { opening, reply, stored }
    }
    const lead = (text: string) => ({ by: 'lead', text }) as const
    const ours = (text: string) => ({ by: 'ai', text }) as const

    test.each([
      ['Olá, {{first_name}}. Tudo bem?', 'Olá. Tudo bem?'],
      ['{{first_name}}, tudo bem?', 'tudo bem?'],
    ])('what nobody knows of a lead leaves no hole in "%s"', async (opening, said) => {
      const { opening: open } = await make({ opening }, { name: '', company: '', title: '' })
      expect(await open()).toMatchObject({ text: said })
    })

    test("an opening is the agent's own, with the names in their places", async () => {
      const { opening } = await make()
      expect(await opening()).toMatchObject({ text: 'Olá Ana, aqui é Sofia.' })
    })

    test('an opening goes as the template that is named, with no parameter empty', async () => {
      const openingTemplate = {
        name: 'hello',
        language: 'pt_BR',
        parameters: ['{{first_name}}', '{{title}}', '{{nobody}}'],
      }
      const { opening } = await make({ openingTemplate })
      expect(await opening()).toEqual({
        text: 'Olá Ana, aqui é Sofia.',
        template: { ...openingTemplate, parameters: ['Ana', '-', '-'] },
      })
      expect((await (await make({ openingTemplate, opening: null })).opening())!.text).toBe('hello Ana - -')
    })

    test('what a lead is called is no variable, and there is no opening where the agent has none', async () => {
      const { opening } = await make({}, { ...LEAD, name: '{{agent_name}}' })
      expect((await opening())!.text).toBe('Olá {{agent_name}}, aqui é Sofia.')
      expect(await (await make({ opening: null })).opening()).toBeNull()
    })

    test('a lead is answered with a text, by the names, and is qualified by the criteria', async () => {
      const { reply, stored } = await make()
      under.expects('O kit custa 100, Ana.', FOUND, true)
      const before = await stored()
      const said = [ours('Olá Ana'), lead('Qual o preço?'), lead('temos orçamento, mas parece caro')]
      const answer = await reply(said)
      expect(answer).toMatchObject({ reply: { text: 'O kit custa 100, Ana.' }, handsOver: null, articles: [] })
      const { qualification } = answer
      expect(qualification).toMatchObject({ score: 40, stage: 'warm' })
      expect(qualification!.reasons).toEqual([expect.stringMatching(/^Has a budget/)])
      expect(qualification!.objections).toEqual([expect.stringMatching(/^Too expensive/)])
      // Whoever asks for it sends it and writes it down.
      expect(await stored()).toEqual(before)
    })

    test('nothing is thought of a lead by an agent without criteria', async () => {
      const { reply } = await make({ criteria: [] })
      under.expects('O kit custa 100, Ana.', [], false)
      expect(await reply([lead('Qual o preço?')])).toMatchObject({
        reply: { text: 'O kit custa 100, Ana.' },
        qualification: null,
      })
    })

    test('there may be nothing to say, and the agent keeps the conversation', async () => {
      const { reply } = await make()
      under.expects(null, [], true)
      expect(await reply([lead('obrigada')])).toMatchObject({ reply: null, handsOver: null })
    })

    test('who has been answered is not answered again', async () => {
      const { reply } = await make()
      expect(await reply([lead('Qual o preço?'), ours('O kit custa 100.')])).toMatchObject({
        reply: null,
        handsOver: null,
      })
    })
  })
}
