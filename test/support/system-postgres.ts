import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { chown } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch } from '../system/cli/run.js'
import { freePort } from './programs.js'

const DEBIAN = '/usr/lib/postgresql'
/** An account that every machine has, for a server that refuses to run as root. */
const NOBODY = 65534

/** The folder of the newest PostgreSQL that Debian's packages installed, with its server and its tools. */
export function systemPostgresBin(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number) : []
  const found = versions.sort((a, b) => b - a).map((version) => join(DEBIAN, String(version), 'bin'))
  return found.find((bin) => existsSync(join(bin, 'postgres')))
}

/** A server of the machine's own PostgreSQL, which brings the tools that npm's lacks. */
export interface SystemPostgres {
  /** `postgres://user:password@host:port`, to which a database's name is added. */
  url: string
  stop(): Promise<void>
}

/** Starts one on a free port of 127.0.0.1, with a new cluster. */
export async function startSystemPostgres(bin: string): Promise<SystemPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-postgres-'))
  const root = process.getuid?.() === 0
  if (root) await chown(folder, NOBODY, NOBODY)
  const as = (file: string, args: string[]) =>
    root
      ? launch('setpriv', [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', join(bin, file), ...args])
      : launch(join(bin, file), args)
  const data = join(folder, 'data')
  const made = await as('initdb', [
    '-D',
    data,
    '-U',
    'operator',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  ]).finished
  if (made.code !== 0) throw new Error(made.stderr)
  const port = await freePort()
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'shared_buffers=32MB']
  const server = as('postgres', ['-D', data, '-p', String(port), ...settings.flatMap((one) => ['-c', one])])
  await server.prints(/database system is ready/)
  return {
    url: `postgres://operator:any@127.0.0.1:${port}`,
    stop: async () => {
      server.child.kill('SIGINT')
      await server.finished
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
