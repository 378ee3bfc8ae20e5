/** The ids of a fact. Small on purpose: whoever listens reads the records as they are when it gets to them. */
export type FactIds = Readonly<Record<string, string | null>>

/** A kind of thing that happens to records of a domain, announced to the domains above it, which the domain does not know. */
export interface Fact<Ids extends FactIds = FactIds> {
  readonly name: string
  /** The id whose facts reach a listener in the order in which they happened. */
  readonly record: keyof Ids & string
  /** Only a type. */
  readonly ids?: Ids
}

/** Defines a fact by a name of its own, such as `contactDeleted`, and the one of its ids that names the record. */
export function defineFact<Ids extends FactIds>(name: string, record: keyof Ids & string): Fact<Ids> {
  return { name, record }
}
