import { AppError } from '../../shared/errors.js'
import type { Members } from '../api.js'
import type { Tool } from './tool.js'

/** Characters of JSON that an answer may have: an assistant has to read it all. */
const MAX_ANSWER = 100_000

/** A list of an answer of which records were left out, whole ones. */
export interface Shortened {
  /** Where it is: `data.notes`. */
  path: string
  kept: number
  of: number
  /** Which of them are there. */
  which: 'first' | 'last'
}

/** An answer that can be read, also as JSON, with what it lacks. */
export interface Fitting {
  answer: Members
  json: string
  shortened: Shortened[]
}

/**
 * Makes an answer short enough to be read. Of lists in it the least of their records are left out, the oldest or the last;
 * a page is refused, with the limit that would fit, since what follows it begins behind it. What has changed something is
 * always answered.
 */
export function fitted({ endpoint: { operation, mount } }: Tool, answer: Members): Fitting {
  const json = JSON.stringify(answer)
  if (json.length <= MAX_ANSWER) return { answer, json, shortened: [] }
  const copy = JSON.parse(json) as Members
  const lists = listsOf(copy, '').sort((a, b) => b.size - a.size)
  if (mount.envelope === 'PAGE') throw tooLong(json, limitThatFits(json, lists))
  const shortened = shorten(lists, json.length - MAX_ANSWER)
  const shorter = JSON.stringify(copy)
  if (shorter.length > MAX_ANSWER && !operation.mutation) throw tooLong(json, undefined)
  return { answer: copy, json: shorter, shortened }
}

interface List {
  parent: Members
  name: string
  path: string
  sizes: number[]
  size: number
}

/** The lists of records in an answer that are in no other list. */
function listsOf(parent: Members, prefix: string): List[] {
  return Object.entries(parent).flatMap(([name, value]) => {
    const path = `${prefix}${name}`
    if (typeof value !== 'object' || value === null) return []
    if (!Array.isArray(value)) return listsOf(value as Members, `${path}.`)
    if (!value.every((item) => typeof item === 'object' && item !== null)) return []
    const sizes = value.map((item) => JSON.stringify(item).length + 1)
    return [{ parent, name, path, sizes, size: sum(sizes) }]
  })
}

/** Leaves out records until there are so many characters less, of the longest list first. */
function shorten(lists: readonly List[], excess: number): Shortened[] {
  let over = excess
  return lists.flatMap(({ parent, name, path, sizes }) => {
    if (over <= 0) return []
    const all = parent[name] as Members[]
    const which = path !== 'data' && isByAge(all) ? 'last' : 'first'
    const least = which === 'last' ? [...sizes] : sizes.toReversed()
    let dropped = 0
    for (; over > 0 && dropped < all.length; dropped++) over -= least[dropped]!
    parent[name] = which === 'last' ? all.slice(dropped) : all.slice(0, all.length - dropped)
    return dropped > 0 ? [{ path, kept: all.length - dropped, of: all.length, which }] : []
  })
}

/** Notes, comments and messages are told oldest first. */
function isByAge(records: readonly Members[]): boolean {
  const ages = [records[0], records.at(-1)].map((record) => String(record?.created_at ?? ''))
  return ages[0] !== '' && ages[0]! <= ages[1]!
}

function limitThatFits(json: string, lists: readonly List[]): number | undefined {
  const page = lists.find(({ path }) => path === 'data')
  if (!page) return undefined
  let room = MAX_ANSWER - (json.length - page.size)
  const fitting = page.sizes.findIndex((size) => {
    room -= size
    return room < 0
  })
  return fitting > 0 ? fitting : undefined
}

function tooLong({ length }: string, limit: number | undefined): AppError {
  const less = limit === undefined ? 'with more filters, or over REST, which has no such bound' : `with limit ${limit}`
  return new AppError(
    'VALIDATION_ERROR',
    `The answer has ${length} characters, and ${MAX_ANSWER} are the most: ask for less, ${less}.`,
  )
}

const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0)
