import type { EntityClass, FilterQuery, RequiredEntityData } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { param, RunAgain, rowLock, type Scope, Statement, violates } from '../../database/index.js'
import { AppError, notFound } from '../../shared/errors.js'
import { given } from '../../shared/given.js'
import { isUuid } from '../../shared/ids.js'
import { tellChange } from '../changes.js'
import type { DeletedRecord } from '../deleted.js'
import { type Hold, holderOf } from '../hold.js'
import type { Reads } from '../reads/index.js'
import type { ReferenceFilter } from './reads.js'

/** What all kinds of reference records have. */
interface Referred {
  id: string
  accountId: string
  name: string
}

interface ReferenceWritesOptions<Entity extends Referred> {
  entity: EntityClass<Entity>
  reads: Reads<Entity, ReferenceFilter>
  /** What a record is called in messages. */
  what: string
  table: string
  /** The unique index of its names, where they are unique in the account without regard to case. */
  uniqueName?: string
  /** What else must happen, in the same transaction, before a record goes. */
  beforeDelete?: (db: Scope, id: string) => Promise<void>
}

/** The writes of one kind of reference records: each is one transaction. */
export class ReferenceWrites<Entity extends Referred> {
  private readonly holder?: Statement<{ id: string }>
  private readonly hold: Hold<Entity>

  constructor(private readonly options: ReferenceWritesOptions<Entity>) {
    const { entity, table, uniqueName, reads, what } = options
    const kept = reads.keepsDeleted ? { deletedAt: null } : {}
    this.hold = holderOf({ entity, lock: rowLock(table), what, live: kept })
    if (!uniqueName) return
    const live = reads.keepsDeleted ? sql`and deleted_at is null` : sql``
    const query = sql<{ id: string }>`select id from ${sql.table(table)}
      where account_id = ${param('account')} and lower(name) = lower(${param('name')}) ${live}`
    this.holder = new Statement(query, { prepared: true })
  }

  /** Creates a record; DUPLICATE_ERROR when another one of the account has its name. */
  create(db: Scope, fields: Partial<Entity>): Promise<Entity> {
    const { entity, reads } = this.options
    return db.unitOfWork(async (em) => {
      await this.refuseTwin(db, fields.name)
      const data = { ...given(fields), accountId: db.accountId } as unknown as RequiredEntityData<Entity>
      const { id } = em.create(entity, data) as Entity
      await this.settled(em.flush())
      await tellChange(db, this.options.table, id, 'created')
      db.wrote(id)
      return (await reads.find(db, id))!
    })
  }

  /** Changes the given fields of a record; what changes nothing leaves no trace. */
  update(db: Scope, id: string, fields: Partial<Entity>): Promise<Entity> {
    const { reads } = this.options
    return db.unitOfWork(async (em) => {
      const found = await this.hold(em, db, id)
      await this.refuseTwin(db, fields.name, found.id)
      const changes = Object.entries(given(fields)).filter(([name, value]) => found[name as keyof Entity] !== value)
      if (changes.length > 0) {
        Object.assign(found, Object.fromEntries(changes))
        await this.settled(em.flush())
        const names = changes.map(([name]) => name)
        await tellChange(db, this.options.table, found.id, 'updated', names)
        db.wrote(found.id)
      }
      return (await reads.find(db, found.id))!
    })
  }

  /** Deletes a record, or marks it where what refers to it must still name it. */
  delete(db: Scope, id: string): Promise<DeletedRecord> {
    const { entity, reads, what, beforeDelete } = this.options
    return db.unitOfWork(async (em) => {
      if (!isUuid(id)) throw notFound(what)
      const where = this.where(db, id)
      await beforeDelete?.(db, id)
      const gone = reads.keepsDeleted
        ? await em.nativeUpdate(entity, where, { deletedAt: new Date() } as never)
        : await em.nativeDelete(entity, where)
      if (gone === 0) throw notFound(what)
      await tellChange(db, this.options.table, id.toLowerCase(), 'deleted')
      return { id: id.toLowerCase(), deleted: true }
    })
  }

  private where(db: Scope, id: string): FilterQuery<Entity> {
    const live = this.options.reads.keepsDeleted ? { deletedAt: null } : {}
    return { id, accountId: db.accountId, ...live } as unknown as FilterQuery<Entity>
  }

  private async refuseTwin(db: Scope, name: string | undefined, self?: string): Promise<void> {
    const [twin] = this.holder && name !== undefined ? await db.rows(this.holder, { name }) : []
    if (!twin || twin.id === self) return
    throw this.nameTaken({ existingId: twin.id })
  }

  private nameTaken(extra?: { existingId: string }): AppError {
    const { what } = this.options
    return new AppError('DUPLICATE_ERROR', `A ${what} with this name exists already.`, {
      faults: [{ path: ['input', 'name'], message: `another ${what} has this name`, ...(extra && { extra }) }],
    })
  }

  /** The unique index decides between parallel writers; the one that lost looks again, and then sees the winner. */
  private async settled(flushing: Promise<void>): Promise<void> {
    const index = this.options.uniqueName
    try {
      await flushing
    } catch (error) {
      if (!index || !violates(error, index)) throw error
      throw new RunAgain('the name was taken meanwhile', { cause: error, lost: this.nameTaken() })
    }
  }
}
