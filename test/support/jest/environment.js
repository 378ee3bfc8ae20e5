import { setTimeout as delay } from 'node:timers/promises'
import { ModernFakeTimers } from '@jest/fake-timers'
import { ModuleMocker } from 'jest-mock'

const STACK_FRAMES = 30
const CLOSING_MS = 5000
const CLOSING_STEP_MS = 20

// The worker's own: its standard streams and its channel to Jest.
const OF_THE_WORKER = new Set(['PipeWrap', 'TTYWrap'])

/** A test environment without a sandbox: test files see the worker's own globals. */
export default class ProcessEnvironment {
  global = globalThis
  #console = globalThis.console
  #exit = process.exit
  // What an earlier file left open is that file's fault.
  #openBefore = openNow()

  constructor({ projectConfig }) {
    this.moduleMocker = new ModuleMocker(globalThis)
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis })
  }

  async setup() {
    // Jest has set 100, which in one realm would be the program's own depth too, at a cost for every error.
    Error.stackTraceLimit = STACK_FRAMES
  }

  /** Takes back what Jest and the test file put into the globals. */
  async teardown() {
    this.fakeTimersModern.dispose()
    this.moduleMocker.restoreAllMocks()
    process.exit = this.#exit
    globalThis.console = this.#console
  }

  async handleTestEvent({ name }, state) {
    if (name !== 'run_finish') return
    const open = await leftOpen(this.#openBefore)
    if (open.length > 0) state.unhandledErrors.push(new Error(`the test file ended and left open: ${open.join(', ')}`))
  }

  exportConditions() {
    return ['node', 'node-addons']
  }

  getVmContext() {
    return null
  }
}

/** What keeps the process from ending. */
function openNow() {
  return process.getActiveResourcesInfo().filter((kind) => !OF_THE_WORKER.has(kind))
}

/** What a test file leaves open: a server, a connection, a timer, a child. */
async function leftOpen(before) {
  const more = () => openNow().slice(before.length)
  for (let waited = 0; more().length > 0 && waited < CLOSING_MS; waited += CLOSING_STEP_MS) await delay(CLOSING_STEP_MS)
  return more()
}
