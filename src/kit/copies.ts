import { createHash } from 'node:crypto'
import { defineFact, type Scope } from '../database/index.js'
import { isUuid } from '../shared/ids.js'

/** That a caller copies a list of records, as whoever keeps a copy of an account does: told of each once a day (UTC). */
export const listCopied = defineFact<{ copyId: string; record: string }>('listCopied', 'copyId')

const MAX_REMEMBERED = 10_000

/** Tells of copies before their first page is read, and remembers of which it has told, so that other pages cost nothing. */
export class ToldCopies {
  private day = ''
  private readonly told = new Set<string>()

  async tell(db: Scope, record: string): Promise<void> {
    const { id } = db.viewer.actor
    const day = new Date().toISOString().slice(0, 10)
    if (day !== this.day || this.told.size >= MAX_REMEMBERED) this.told.clear()
    this.day = day
    const key = `${db.accountId} ${id} ${record}`
    if (!isUuid(id) || this.told.has(key)) return
    await db.transaction(() => db.announce(listCopied, { copyId: idOf(day, key), record }))
    this.told.add(key)
  }
}

/** The same uuid (v7 of that midnight) in every process, so that what several tell is one copy. */
function idOf(day: string, key: string): string {
  const time = Date.parse(day).toString(16).padStart(12, '0')
  const tail = createHash('sha256').update(`${day} ${key}`).digest()
  tail[2] = (tail[2]! & 0x3f) | 0x80
  const hex = tail.toString('hex')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(1, 4)}-${hex.slice(4, 8)}-${hex.slice(8, 20)}`
}
