declare global {
  // Set by scripts/start.mjs, whose handlers cover the time before this program has loaded.
  var fairleadEarlySignals: { release(): NodeJS.Signals | undefined } | undefined
}

/** Waits for the process being told to stop. */
export interface StopSignal {
  readonly stopping: boolean
  /** Settles at the first SIGTERM, SIGINT or SIGHUP; a second one ends the process at once. */
  readonly stopped: Promise<void>
}

/** Takes the signals over. Call it before anything is started that must be closed in order. */
export function listenForStop(): StopSignal {
  let stopping = false
  let settle: () => void
  const stopped = new Promise<void>((resolve) => {
    settle = resolve
  })
  const stop = () => {
    if (stopping) process.exit(1)
    stopping = true
    settle()
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)
  if (globalThis.fairleadEarlySignals?.release()) stop()
  return {
    get stopping() {
      return stopping
    },
    stopped,
  }
}
