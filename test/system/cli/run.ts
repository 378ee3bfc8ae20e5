import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

/** How a process ended, and all that it printed. */
export interface Finished {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** A process under way. */
export interface Running {
  child: ChildProcess
  pid: number
  finished: Promise<Finished>
  /** Waits for a text on stdout or stderr, and returns the first group of the match, or all of it. */
  prints(pattern: RegExp): Promise<string>
}

// The built program, as it is shipped; `npm test` builds first.
const MAIN = join(process.cwd(), 'dist', 'main.js')

/** Settings come from the test alone, not from the machine. */
export function cleanEnvironment(settings: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env
  return { PATH, HOME, ...settings }
}

/** Starts any program, as the leader of a group of processes if it is to be `detached`. */
export function launch(
  file: string,
  args: readonly string[],
  settings: Record<string, string> = {},
  detached = false,
): Running {
  const child = spawn(file, args, { env: cleanEnvironment(settings), stdio: ['ignore', 'pipe', 'pipe'], detached })
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text
    })
  }
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, ...printed }))
  })
  const prints = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(printed.stdout) ?? pattern.exec(printed.stderr)
        if (found) resolve(found[1] ?? found[0])
      }
      for (const name of ['stdout', 'stderr'] as const) child[name].on('data', look)
      finished.then(() => reject(new Error(`It ended without ${pattern}:\n${printed.stdout}${printed.stderr}`)), reject)
      look()
    })
  return { child, pid: child.pid!, finished, prints }
}

/** Starts `fairlead …` under this Node.js. */
export function start(args: readonly string[], settings: Record<string, string> = {}): Running {
  return launch(process.execPath, [MAIN, ...args], settings)
}

/** Runs `fairlead …` to its end. */
export function run(args: readonly string[], settings: Record<string, string> = {}): Promise<Finished> {
  return start(args, settings).finished
}

interface Expected {
  code: number
  says: RegExp | string
  /** What the one object on stdout says, where the command was given with --json. */
  json?: { code: string; says: RegExp }
}

/** A failure says on stderr what to do, without a stack; the exit code tells misuse from failure. */
export function expectFailure({ code, stdout, stderr }: Finished, expected: Expected): void {
  expect({ code, stdout: expected.json ? '' : stdout, stderr }).toMatchObject({ code: expected.code, stdout: '' })
  expect(stderr).toMatch(expected.says)
  expect(stderr).not.toContain('    at ')
  if (!expected.json) return
  expect(stdout.trimEnd().split('\n')).toHaveLength(1)
  const { says } = expected.json
  const error = { code: expected.json.code, message: expect.stringMatching(says) }
  expect(JSON.parse(stdout)).toEqual({ error })
}

export { MAIN }
