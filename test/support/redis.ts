import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch, type Running } from '../system/cli/run.js'
import { freePort } from './programs.js'

/** A Redis of the test's own. */
export interface LocalRedis {
  url: string
  port: number
  /** Has it say nothing any more, or go on. */
  pause(): void
  resume(): void
  /** Ends it at once; `start` begins anew, with nothing in it. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/** Starts a Redis on a free port of 127.0.0.1 that keeps nothing on the disk. */
export async function startRedis(): Promise<LocalRedis> {
  const port = await freePort()
  const dir = mkdtempSync(join(tmpdir(), 'fairlead-redis-'))
  let running: Running | undefined
  const start = async () => {
    const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', dir]
    running = launch('redis-server', settings)
    await running.prints(/Ready to accept connections/)
  }
  const kill = async () => {
    running?.child.kill('SIGKILL')
    await running?.finished
    running = undefined
  }
  await start()
  return {
    url: `redis://127.0.0.1:${port}/0`,
    port,
    pause: () => void running?.child.kill('SIGSTOP'),
    resume: () => void running?.child.kill('SIGCONT'),
    kill,
    start,
    stop: async () => {
      await kill()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
