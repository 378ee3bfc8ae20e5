import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Installs a folder that has a lockfile of its own, unless what that wants is there already. */
export async function installFixture(folder: string): Promise<void> {
  const lockOf = (path: string) => JSON.parse(readFileSync(path, 'utf8')).packages
  const done = join(folder, 'node_modules', '.package-lock.json')
  const { '': _own, ...wanted } = lockOf(join(folder, 'package-lock.json'))
  // What belongs to another platform is in the lockfile alone.
  const has = existsSync(done) ? lockOf(done) : {}
  const missing = Object.keys(wanted).filter(
    (name) => !wanted[name].optional && has[name]?.version !== wanted[name].version,
  )
  if (missing.length > 0) await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder })
}
