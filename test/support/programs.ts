import { spawnSync } from 'node:child_process'
import { createServer } from 'node:net'

/** Whether a program of the machine can be started. */
const has = (program: string) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined

/**
 * Describes tests that need programs which npm does not bring. Where one is missing they are skipped, which their name says;
 * in CI, where .ci/system-tools has installed all of them, they then fail.
 */
export function describeWith(programs: readonly string[], name: string, tests: () => void): void {
  const missing = programs.filter((program) => !has(program))
  const why = `there is no ${missing.join(' and no ')} on the PATH; .ci/system-tools installs it`
  if (missing.length === 0) describe(name, tests)
  else if (process.env.CI) test(name, () => Promise.reject(new Error(why)))
  else describe.skip(`${name} (skipped, since ${why})`, tests)
}

/** A port of 127.0.0.1 that nothing listens on at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
