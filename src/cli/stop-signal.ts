declare global {
  // Set by main.ts or scripts/start.mjs, whose handlers cover the time before this program has loaded.
  var fairleadEarlySignals: { release(): NodeJS.Signals | undefined } | undefined
}

// Whatever still hangs then, such as a connection to a database that says nothing, does not keep the process alive. A
// process manager usually grants ten seconds.
const LAST_MS = 9500
// A Ctrl-C goes to every process of the terminal, and npm passes it on to those that have it already.
const ECHO_MS = 500

/** Waits for the process being told to stop. */
export interface StopSignal {
  readonly stopping: boolean
  /** The same for what can be interrupted. */
  readonly aborted: AbortSignal
  /** Settles at the first SIGTERM, SIGINT or SIGHUP; a second one, if it is not an echo, ends the process at once. */
  readonly stopped: Promise<void>
}

/** Takes the signals over. Call it before anything is started that must be closed in order. */
export function listenForStop(): StopSignal {
  const controller = new AbortController()
  const { signal: aborted } = controller
  const stopped = new Promise<void>((resolve) => {
    aborted.addEventListener('abort', () => resolve(), { once: true })
  })
  let since = 0
  const stop = () => {
    if (aborted.aborted) {
      if (performance.now() - since > ECHO_MS) process.exit(1)
      return
    }
    since = performance.now()
    setTimeout(() => process.exit(), LAST_MS).unref()
    controller.abort()
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)
  if (globalThis.fairleadEarlySignals?.release()) stop()
  return {
    get stopping() {
      return aborted.aborted
    },
    aborted,
    stopped,
  }
}
