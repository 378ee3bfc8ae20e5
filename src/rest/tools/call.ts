import type { Context } from '../../database/index.js'
import { presentable } from '../../graphql/index.js'
import { fulfil } from '../../kit/later.js'
import { tellCall } from '../../kit/tool-calls.js'
import { jsonSizeFault } from '../../shared/bounds.js'
import { AppError, ERROR_CODES, type ErrorCode, invalid, kindOf } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { requireAllowed, requireForArguments } from '../access.js'
import type { Members } from '../api.js'
import { carryOut } from '../carry-out.js'
import { type Detail, Findings } from '../findings.js'
import { hashRequest, type Idempotency } from '../idempotency.js'
import { rehearse } from '../rehearse.js'
import { addWarnings, failureOf } from '../respond.js'
import { type Fitting, fitted } from './fit.js'
import { takeKey } from './key.js'
import { TOOL_STYLE } from './style.js'
import type { KeptForm, Tool } from './tool.js'

/**
 * How a call of a tool ended: with an answer, also as JSON, which may be that of an earlier call of the same name; or with
 * an error that says in words what to do about it.
 */
export type ToolOutcome = (Fitting & { replayed: boolean }) | { error: string }

/** With what tools are called. */
export interface ToolMeans {
  /** What makes calls that carry a name happen once. */
  idempotency: Idempotency
  log: (error: unknown, requestId: string) => void
}

const NO_QUERY = new Map<string, string[]>()

/** Whether a caller may use a tool at all. */
export function mayUse({ endpoint }: Tool, context: Context): boolean {
  try {
    requireAllowed(endpoint, context)
    return true
  } catch {
    return false
  }
}

/** Calls a tool on behalf of the context's caller. Never throws: whatever goes wrong is told as an outcome. */
export async function callTool(
  tool: Tool,
  context: Context,
  args: object,
  { idempotency, log }: ToolMeans,
): Promise<ToolOutcome> {
  try {
    const { answer, replayed } = await run(tool, context, args, idempotency)
    return { ...fitted(tool, answer), replayed }
  } catch (thrown) {
    // A call that was cancelled ends with whatever its end in the database looks like; nobody hears of it.
    return { error: inWords(thrown, context.requestId, context.gone?.() ? () => {} : log, tool) }
  } finally {
    context.release()
  }
}

/** What an error says to an assistant: what is wrong, with which argument of the tool, and what helps. */
export function inWords(
  thrown: unknown,
  requestId: string,
  log: (error: unknown, requestId: string) => void,
  tool?: Tool,
): string {
  const error = presentable(thrown, (unknown) => log(unknown, requestId))
  const own = tool?.endpoint.operation.errors.map(kindOf).find(({ code }) => code === error.code)
  const told = failureOf(TOOL_STYLE, error, tool?.endpoint, requestId).body.error as Told
  return sentences(told, own?.remedy ?? ERROR_CODES[error.code as ErrorCode]?.remedy)
}

interface Answered {
  answer: Members
  replayed: boolean
}

async function run(tool: Tool, context: Context, args: object, idempotency: Idempotency): Promise<Answered> {
  const { name, endpoint, bind } = tool
  const { operation, mount } = endpoint
  context.kind = operation.name
  context.tool = name
  requireAllowed(endpoint, context)
  const large = jsonSizeFault(Buffer.from(JSON.stringify(args)))
  if (large) throw new AppError('VALIDATION_ERROR', `The arguments are too many: ${large.message}.`)
  const findings = new Findings()
  const { key, rest } = mount.idempotent
    ? takeKey(args, operation.tool!.once, findings)
    : { key: undefined, rest: args }
  const variables = bind({ path: {}, query: NO_QUERY, body: rest, headers: {} }, findings)
  requireForArguments(endpoint, context, variables)
  if (findings.faults.length > 0) {
    await rehearse(endpoint, context, variables, findings)
    throw invalid(findings.documented, findings.faultsOmitted)
  }
  const work = () => carryOutTold(tool, context, variables)
  const answered =
    key === undefined
      ? {
          answer: operation.mutation && !operation.actsOutside ? await wholly(context, work) : await work(),
          replayed: false,
        }
      : await runOnce(tool, context, key, rest, idempotency, work)
  addWarnings(answered.answer, findings.warnings, findings.warningsOmitted)
  return answered
}

/** Carries an operation out; that it changed something is told in the transaction which does it. */
async function carryOutTold(
  { endpoint, envelop }: Tool,
  context: Context,
  variables: Record<string, unknown>,
): Promise<Members> {
  const answer = await carryOut(endpoint, envelop, context, variables)
  if (context.db.inTransaction) await tellCall(context.db, idOf(answer.data) ?? idOf(variables))
  return answer
}

/** The id of the record that an answer, or a call, is about. */
function idOf(value: unknown): string | null {
  const { id } = (value ?? {}) as { id?: unknown }
  return isUuid(id) ? id : null
}

/** Has all of a call happen in one transaction, and fills in what is known only after its commit. */
async function wholly({ db }: Context, work: () => Promise<Members>): Promise<Members> {
  const { answer, promised } = await db.transaction(async () => ({ answer: await work(), promised: db.promised }))
  return promised ? (JSON.parse(await fulfil(db, JSON.stringify(answer))) as Members) : answer
}

/** Has the call happen once for its name, be it that the first one came over REST. */
async function runOnce(
  { endpoint, erased, kept }: Tool,
  context: Context,
  key: string,
  args: object,
  idempotency: Idempotency,
  work: () => Promise<Members>,
): Promise<Answered> {
  const requestHash = hashAs(kept, args)
  const { body, replayed } = await idempotency.run(context, endpoint.operation.name, key, requestHash, async () => ({
    status: kept.status,
    body: JSON.stringify({ ...kept.around, ...(await work()) }),
    erased,
  }))
  const answer = JSON.parse(body) as Members
  for (const name of Object.keys(kept.around)) delete answer[name]
  return { answer, replayed }
}

/** A hash of the arguments as REST would make it of a request with the same. */
function hashAs({ path }: KeptForm, args: object): Buffer {
  const isInPath = ([name, value]: [string, unknown]) => path.includes(name) && typeof value === 'string'
  const { there = [], body = [] } = Object.groupBy(Object.entries(args), (one) => (isInPath(one) ? 'there' : 'body'))
  return hashRequest(Object.fromEntries(there) as Record<string, string>, Object.fromEntries(body))
}

interface Told {
  code: string
  message: string
  details?: Detail[]
  request_id: string
  [more: string]: unknown
}

function sentences({ code, message, details = [], request_id, ...more }: Told, remedy: string | undefined): string {
  const lines = [`${code}: ${message}`]
  if (details.length > 0) lines.push('details:', ...details.map((detail) => `- ${detail.field}: ${detail.message}`))
  for (const [name, value] of Object.entries(more)) lines.push(`${name}: ${JSON.stringify(value)}`)
  for (const { field, message, ...rest } of details)
    for (const [name, value] of Object.entries(rest)) lines.push(`${field} ${name}: ${JSON.stringify(value)}`)
  if (remedy) lines.push(`What helps: ${remedy}`)
  lines.push(`Request id: ${request_id}`)
  return lines.join('\n')
}
