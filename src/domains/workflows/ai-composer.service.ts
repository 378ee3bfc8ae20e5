import type { Scope } from '../../database/index.js'
import type { ChatAnswer, ChatModel, ChatQuestion } from '../../integrations/chat/index.js'
import { type KnowledgeHit, searchKnowledge } from '../agents/index.js'
import { type ReadAnswer, readAnswer, unread } from './ai-answer.service.js'
import { mostTokens, questionOf } from './ai-question.service.js'
import { bookTokens, setTokensAside } from './budget.service.js'
import { type Answer, type Composer, type ComposerTask, NotComposed, unansweredOf } from './composer.service.js'
import { scriptedComposer } from './scripted-composer.service.js'

const MAX_ARTICLES = 5
// Nobody asks more than this in one go, and a search takes long by its words.
const MAX_SOUGHT = 1000

const NOTHING: Answer = { reply: null, qualification: null, handsOver: null, articles: [] }

/**
 * Has a model write replies; openings are the agent's own, since no other may be sent to somebody who has not written. The
 * model has no power: what it says is a text for this lead, and names of criteria with the lead's words, and both are checked.
 */
export function aiComposer(model: ChatModel): Composer {
  return {
    opening: scriptedComposer.opening,
    async reply(db, task) {
      const unanswered = unansweredOf(task.said)
      if (unanswered.trim() === '') return NOTHING
      const sought = unanswered.slice(-MAX_SOUGHT).toWellFormed()
      const articles = await searchKnowledge(db, task.agent.id, sought, MAX_ARTICLES)
      return (await answered(model, db, task, articles)) ?? withoutModel(db, task)
    },
  }
}

/** What the model answers, asked twice at most; null where the budget has nothing left. */
async function answered(
  model: ChatModel,
  db: Scope,
  task: ComposerTask,
  articles: readonly KnowledgeHit[],
): Promise<Answer | null> {
  const question = questionOf(task, articles)
  const first = await ask(model, db, question)
  if (first === null) return null
  const one = read(first, task, articles)
  if (one.fault === null) return answerOf(one, articles)
  const before = first.outcome === 'answered' ? { answer: first.text, fault: correction(one.fault) } : undefined
  const second = await ask(model, db, { ...question, before }).catch((error: unknown) => {
    if (one.reply === undefined) throw error
    return null
  })
  const two = second ? read(second, task, articles) : one
  if (two.fault === null) return answerOf(two, articles)
  // What it has to say is whole, but what it thinks of the lead cannot be used.
  const whole =
    [two, one].find(({ reply }) => reply !== undefined) ?? [two, one].find(({ plain }) => plain !== undefined)
  if (whole) return answerOf({ ...whole, reply: whole.reply ?? whole.plain, qualification: null }, articles)
  throw new NotComposed(`The model has given no answer that may be sent. ${two.fault}`, two.isBarred ? undefined : {})
}

const correction = (fault: string) =>
  `Your answer cannot be used: ${fault} Answer again, with nothing but the JSON object that was asked for.`

const read = (came: Asked, task: ComposerTask, articles: readonly KnowledgeHit[]): ReadAnswer =>
  came.outcome === 'answered' ? readAnswer(came.text, task, articles) : unread(came.reason)

const answerOf = (
  { reply = null, qualification, handsOver }: ReadAnswer,
  articles: readonly KnowledgeHit[],
): Answer => ({
  reply: reply === null ? null : { text: reply },
  qualification,
  handsOver: handsOver ? 'The agent leaves this to a person.' : null,
  articles: articles.map(({ id, name }) => ({ id, name })),
})

type Asked = Extract<ChatAnswer, { outcome: 'answered' | 'unusable' }>

/** Asks once, within the budget: null where that has not enough left for the longest answer. */
async function ask(model: ChatModel, db: Scope, question: ChatQuestion): Promise<Asked | null> {
  const aside = await setTokensAside(db, mostTokens(question))
  if (!aside) return null
  const came = await model.ask(question)
  await bookTokens(db, aside, came.tokens)
  if (came.outcome === 'later') {
    throw new NotComposed(`The model has not answered. ${came.reason}`, { afterMs: came.retryAfterMs })
  }
  if (came.outcome === 'refused') throw new NotComposed(`The model cannot be asked. ${came.reason}`)
  return came
}

/** The agent's own texts where one fits, and nothing that was thought of the lead is touched; else it is for a person. */
async function withoutModel(db: Scope, task: ComposerTask): Promise<Answer> {
  const { reply } = await scriptedComposer.reply(db, task)
  if (reply) return { ...NOTHING, reply }
  return { ...NOTHING, handsOver: 'The account has no tokens of the model left for today.' }
}
