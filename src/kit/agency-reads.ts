import type { Context } from '../database/index.js'
import { type Declaration, type ListQuery, type PageOf, type Reader, Reads } from './reads/index.js'
import type { Selection } from './selection.js'

/** The scope in which agencies' records are read: past row level security, which knows accounts alone. */
export const agencyScope = (context: Context): Reader => {
  const { viewer } = context
  return { viewer, db: viewer.agencyId === undefined ? context.asService() : context.db }
}

/** Reads of agencies' records, from one declaration: the token of an agency sees its own, an operator those of all. */
export class AgencyReads<Row extends { id: string }, Filters extends object = object, By extends string = string> {
  /** An agency's own, in its scope. */
  readonly own: Reads<Row, Filters, By>
  private readonly everybodys: Reads<Row, Filters, By>

  /** `agency` is the property that names a record's agency. */
  constructor(declaration: Omit<Declaration<Row, By>, 'whose'>, agency = 'agencyId') {
    this.own = new Reads({ ...declaration, whose: { agency } })
    this.everybodys = new Reads({ ...declaration, whose: 'everybody' })
  }

  /** One page; see Reads.list. */
  list(context: Context, query: ListQuery<Filters, By>, selection?: Selection): Promise<PageOf<Row>> {
    return this.readsOf(context).list(agencyScope(context), query, selection)
  }

  /** The record of an id, if it is the viewer's to see; see Reads.find. */
  find(context: Context, id: string, selection?: Selection): Promise<Row | undefined> {
    return this.readsOf(context).find(agencyScope(context).db, id, selection)
  }

  private readsOf({ viewer }: Context): Reads<Row, Filters, By> {
    return viewer.agencyId === undefined ? this.everybodys : this.own
  }
}
