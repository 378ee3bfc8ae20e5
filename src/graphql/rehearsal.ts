import {
  type GraphQLArgument,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import type { Context } from '../database/index.js'
import { type Fault, InvalidInput, invalid } from '../shared/errors.js'
import { isUuid } from '../shared/ids.js'

type Values = Readonly<Record<string, unknown>>

/**
 * Refuses a mutation whose inputs are wrong, and looks before that whether the records that its other inputs name exist:
 * the mutation is carried out with something harmless in place of what is wrong, for what it finds itself, and taken
 * back. So a caller hears of all wrong fields at once. Whatever else it meets does not count, since wrong inputs come
 * first.
 */
export async function refuse(
  context: Context,
  faults: readonly Fault[],
  args: readonly GraphQLArgument[],
  values: Values,
  carryOut: (values: Values) => unknown,
): Promise<never> {
  const rest = mended(values, faults, args)
  if (!namesRecords(rest)) throw invalid(faults)
  const error = await context.db.rehearse(async () => carryOut(rest))
  const wrong = new Set(faults.map(placeOf))
  // What was not given may only seem to be missing because of what was left out.
  const counts = (fault: Fault) => !wrong.has(placeOf(fault)) && isGiven(rest, fault)
  const further = error instanceof InvalidInput ? error.faults.filter(counts) : []
  throw invalid([...faults, ...further])
}

/** The input that a fault belongs to: of an input object its field, else the argument. */
const placeOf = ({ path }: Fault) => path.slice(0, path[0] === 'input' ? 2 : 1).join('.')

function isGiven(values: Values, { path }: Fault): boolean {
  const [name, field] = path.map(String)
  const value = values[name!]
  return path[0] === 'input' && field !== undefined
    ? (value as Values | undefined)?.[field] !== undefined
    : value !== undefined
}

/** Inputs without those that are wrong, or with something harmless for those that must be there. */
function mended(values: Values, faults: readonly Fault[], args: readonly GraphQLArgument[]): Values {
  const rest: Record<string, unknown> = { ...values }
  for (const { path } of faults) {
    const [name, field] = path.map(String)
    const arg = args.find((one) => one.name === name)
    const type = arg && getNamedType(arg.type)
    const inner = field !== undefined && isInputObjectType(type) ? type.getFields()[field] : undefined
    const object = rest[name!]
    if (!inner || typeof object !== 'object') put(rest, name!, arg?.type)
    else {
      rest[name!] = { ...object }
      put(rest[name!] as Record<string, unknown>, field!, inner.type)
    }
  }
  return rest
}

function put(object: Record<string, unknown>, name: string, type: GraphQLInputType | undefined): void {
  if (type && isNonNullType(type)) object[name] = harmless(type, (value) => value)
  else delete object[name]
}

const NOBODY = '00000000-0000-7000-8000-000000000000'
const HARMLESS: Record<string, unknown> = { ID: NOBODY, String: 'x', Int: 1, Float: 1, Boolean: true }

/** A value of a type that does no harm; a choice by what it stands for, or as it is sent. */
export function harmless(type: GraphQLInputType, choice: (value: unknown, name: string) => unknown): unknown {
  if (isNonNullType(type)) return harmless(type.ofType, choice)
  if (isListType(type)) return []
  if (isInputObjectType(type)) return {}
  if (!isEnumType(type)) return HARMLESS[type.name] ?? {}
  const [first] = type.getValues()
  return choice(first!.value, first!.name)
}

function namesRecords(value: unknown): boolean {
  if (typeof value === 'string') return isUuid(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(namesRecords)
}
