import type { Answer } from '../answers/complete.js'
import { invalid, noSuch } from '../errors.js'
import type { Params } from '../params.js'
import type { World } from '../world.js'

interface Listed {
  id: string
  created: number
}

/** What every list takes. */
export const LIST = ['limit', 'starting_after', 'ending_before'] as const

/** A page of records, the newest first, after or before one of them (docs.stripe.com/api/pagination). */
export function page<T extends Listed>(
  world: World,
  all: Iterable<T>,
  params: Params,
  url: string,
  fits: (record: T) => boolean = () => true,
): Answer {
  const { limit = 10, starting_after: after, ending_before: before } = params
  if ((limit as number) < 1 || (limit as number) > 100) {
    throw invalid('Invalid limit: must be between 1 and 100', 'limit', 'parameter_invalid_integer')
  }
  if (after !== undefined && before !== undefined) {
    throw invalid('You cannot parameterize both starting_after and ending_before', 'starting_after')
  }
  const newest = [...all].reverse()
  const indexOf = (id: unknown, param: string) => {
    const at = newest.findIndex((record) => record.id === id)
    if (at < 0) throw noSuch('object', String(id), param)
    return at
  }
  const size = limit as number
  const inRange = createdIn(params.created)
  const chosen = (records: T[]) => records.filter((record) => inRange(record.created) && fits(record))
  let data: T[]
  let more: boolean
  if (before === undefined) {
    const rest = chosen(after === undefined ? newest : newest.slice(indexOf(after, 'starting_after') + 1))
    ;[data, more] = [rest.slice(0, size), rest.length > size]
  } else {
    const rest = chosen(newest.slice(0, indexOf(before, 'ending_before')))
    ;[data, more] = [rest.slice(-size), rest.length > size]
  }
  return { object: 'list', data: data.map(({ id }) => world.answerOf(id)), has_more: more, url }
}

/** Whether a moment is the one asked for, or within the range. */
function createdIn(range: unknown): (created: number) => boolean {
  if (range === undefined) return () => true
  if (typeof range === 'number') return (created) => created === range
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = range as Record<string, number>
  return (created) => created > gt && created >= gte && created < lt && created <= lte
}

/** What Stripe's search knows of what has just happened: nothing, since its index lags (docs.stripe.com/search). */
export const laggingSearch = (url: string): Answer => ({
  object: 'search_result',
  data: [],
  has_more: false,
  next_page: null,
  url,
})
