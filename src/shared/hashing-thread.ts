// The program of a thread of its own, see hashing.ts. It imports nothing of ours, so that tests can run it as it is.
import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { basename } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { hashSync, verifySync } from '@node-rs/argon2'

// Linux has priorities of threads: this one gets what is left of the cores by the threads that answer calls.
if (process.platform === 'linux') {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), constants.priority.PRIORITY_LOW)
  } catch {
    // A sandbox without /proc: hashing then takes its share like everything else.
  }
}

parentPort!.on('message', ({ password, stored }: { password: string; stored?: string }) => {
  parentPort!.postMessage(stored === undefined ? hashSync(password, workerData) : verifySync(stored, password))
})
