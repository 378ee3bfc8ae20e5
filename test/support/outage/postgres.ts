import { spawnSync } from 'node:child_process'
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { acquireEmbeddedPostgres, type EmbeddedPostgres } from '../../../src/embedded-postgres/index.js'

const DISK_MIB = 400
/** What a server says that cannot write, wherever it tries. */
const REFUSE = `create function test_no_space() returns trigger language plpgsql as $$
begin
  raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
end $$`
const WRITTEN = [
  'contact',
  'opportunity',
  'outbox',
  'job',
  'mail',
  'flow_enrollment',
  'agency_event',
  'sign_in_attempt',
]
const CHUNKS = [2 ** 20, 2 ** 12]

/** A PostgreSQL of the test's own, which can be stopped and started, and whose disk can be filled. */
export class OwnPostgres {
  private server: EmbeddedPostgres | undefined
  private ballast: string | undefined

  private constructor(
    private readonly folder: string,
    /** Whether its disk is one of its own; only an administrator may make one. */
    readonly hasDisk: boolean,
  ) {}

  static async start(): Promise<OwnPostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'fairlead-outage-'))
    chmodSync(folder, 0o755) // the server of a superuser runs as another account, which must get in
    const options = `size=${DISK_MIB}m,mode=755`
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'fairlead', folder], { stdio: 'ignore' })
    const postgres = new OwnPostgres(folder, status === 0)
    await postgres.start()
    return postgres
  }

  /** The port that it listens on, or did. */
  port = (): number => Number(new URL(this.server!.url).port)

  /** The address of its database by another port of this machine. */
  urlBy(port: number): string {
    return Object.assign(new URL(this.server!.url), { port: String(port) }).href
  }

  async start(): Promise<void> {
    const settings = { shared_buffers: '32MB', min_wal_size: '32MB', max_wal_size: '64MB' }
    this.server = await acquireEmbeddedPostgres({ dataDir: this.folder, name: 'fairlead', durable: false, settings })
  }

  async stop(): Promise<void> {
    await this.server!.release()
  }

  /**
   * Has it find no room for a while: not a byte is left on its disk, or, where it has none of its own, it refuses to write
   * to the tables that all work needs, as if it were so.
   */
  async withoutRoom(database: pg.Pool, work: () => Promise<void>): Promise<void> {
    if (this.hasDisk) {
      this.fillDisk()
      await work().finally(() => rmSync(this.ballast!))
    } else {
      await database.query(REFUSE)
      await database.query(
        WRITTEN.map(
          (table) =>
            `create trigger test_no_space before insert or update on ${table} execute function test_no_space()`,
        ).join('; '),
      )
      await work().finally(() => database.query('drop function test_no_space cascade'))
    }
  }

  private fillDisk(): void {
    this.ballast = join(this.folder, 'ballast')
    const file = openSync(this.ballast, 'w')
    try {
      for (const size of CHUNKS) fill(file, Buffer.alloc(size, 1))
    } finally {
      closeSync(file)
    }
  }

  async remove(): Promise<void> {
    await this.stop()
    if (this.hasDisk) spawnSync('umount', [this.folder])
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Writes until there is no room for one more. */
function fill(file: number, chunk: Buffer): void {
  try {
    for (;;) if (writeSync(file, chunk) < chunk.length) return
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
