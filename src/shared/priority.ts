import { readdirSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

const { PRIORITY_BELOW_NORMAL } = constants.priority

/**
 * Has this process come after those that answer somebody wherever a core is short: the scheduler gives it a tenth beside one
 * of usual priority, and all that is left. On a machine that has the cores it changes nothing. What was started with a lower
 * priority keeps that.
 */
export function giveWay(): void {
  for (const thread of threads()) {
    try {
      if (getPriority(thread) < PRIORITY_BELOW_NORMAL) setPriority(thread, PRIORITY_BELOW_NORMAL)
    } catch {
      // The thread has ended, or a sandbox forbids it: then the work takes its share like everything else.
    }
  }
}

// Linux has priorities of threads, which those made later have from the one that makes them; elsewhere 0 is the whole process.
function threads(): number[] {
  if (process.platform !== 'linux') return [0]
  try {
    return readdirSync('/proc/self/task').map(Number)
  } catch {
    return [0]
  }
}
