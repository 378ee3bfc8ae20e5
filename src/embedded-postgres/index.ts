import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ensureCluster } from './cluster.js'
import { DATABASE, databaseUrl, ensureDatabase } from './connection.js'
import { withLock } from './lock.js'
import { choosePlacement, type Placement, prepareDataDir } from './placement.js'
import { findPostmaster, type Postmaster, startPostmaster, stopPostmaster } from './postmaster.js'
import { giveToOwnerOf } from './runner.js'
import { hasUsers, registerUser, unregisterUser } from './users.js'

/** What the caller decides about the embedded database. */
export interface EmbeddedOptions {
  dataDir: string
  /** False trades safety at a power failure for speed; for tests. */
  durable?: boolean
  log?: (message: string) => void
  /** More server settings; they count only when this call starts the server. */
  settings?: Record<string, string>
}

/** A running embedded database, shared with every process that acquired the same data folder. */
export interface EmbeddedPostgres {
  /** The application's database. */
  url: string
  /** The database `postgres`, for making and dropping others. */
  adminUrl: string
  /** The cluster was made by this call. */
  fresh: boolean
  pid: number
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
  const { durable = true, log = () => undefined } = options
  await giveToOwnerOf(dataDir, lockFile(dataDir))
  const place = await choosePlacement(dataDir, log)
  const { password, fresh } = await ensureCluster(place, durable)
  const registration = await registerUser(dataDir)
  try {
    const settings = { ...SETTINGS, ...(durable ? {} : UNSAFE_SETTINGS), ...options.settings }
    const server = (await findPostmaster(place, password)) ?? (await startPostmaster(place, password, settings))
    await ensureDatabase(server.port, password)
    let released: Promise<void> | undefined
    return {
      url: databaseUrl(server.port, password, DATABASE),
      adminUrl: databaseUrl(server.port, password, 'postgres'),
      fresh,
      pid: server.pid,
      release: () => (released ??= release(place, registration, server)),
    }
  } catch (error) {
    await leave(place, registration).catch(() => undefined)
    throw error
  }
}

async function release(place: Placement, registration: string, server: Postmaster): Promise<void> {
  // Somebody deleted the data folder under us: nobody else can use it any more, but the server still runs.
  if (!existsSync(place.dataDir)) return stopPostmaster(place.cluster, server.pid)
  await withLock(lockFile(place.dataDir), LOCK_WAIT_MS, () => leave(place, registration, server))
}

async function leave(place: Placement, registration: string, server?: Postmaster): Promise<void> {
  await unregisterUser(registration)
  if (!(await hasUsers(place.dataDir))) await stopPostmaster(place.cluster, server?.pid)
}

function lockFile(dataDir: string): string {
  return join(dataDir, 'postgres.lock')
}
