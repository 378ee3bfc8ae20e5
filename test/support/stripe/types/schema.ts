import { readFileSync } from 'node:fs'

/** A type of the `stripe` package as read.mjs puts it down. */
export type Kind =
  | 'string'
  | 'number'
  | 'boolean'
  | 'decimal'
  | 'any'
  | {
      type?: Kind
      is?: string | number
      enum?: string[]
      array?: Kind
      list?: Kind
      map?: Kind
      object?: string
      fields?: Record<string, Kind>
      required?: string[]
      anyOf?: Kind[]
      nullable?: boolean
      emptyable?: boolean
    }

/** One method of the `stripe` package: how it is called, what it takes, what it answers. */
export interface Endpoint {
  verb: 'GET' | 'POST' | 'DELETE'
  path: string
  params: { fields: Record<string, Kind>; required?: string[] }
  answer: { one?: Kind; list?: Kind; search?: Kind }
}

interface Types {
  stripe: string
  apiVersion: string
  endpoints: Record<string, Endpoint>
  objects: Record<string, { fields: Record<string, Kind>; required?: string[] }>
}

const read = <T>(name: string): T => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))

/** What the types of the `stripe` package say, read out by read.mjs. */
export const stripeTypes = read<Types>('stripe-types.json')

/** Stripe's published example objects, by what they say they are in `object`. */
export const examples = read<Record<string, Record<string, unknown>>>('examples.json')
