import type { Database } from '../../database/index.js'
import { type ClaimWorkerOptions, startClaimWorker } from '../../kit/claim-worker.js'
import { asTrace } from '../../kit/traced.js'
import { carryOut } from './run.service.js'
import { type ClaimedRun, claimRuns, releaseRuns } from './run-claim.service.js'

/** What has agents do their part in the background. */
export interface AgentWorkerOptions extends Pick<ClaimWorkerOptions<ClaimedRun>, 'log' | 'pollMs'> {
  database: Database
}

const AT_ONCE = 4

/** Has agents do what is due, until stopped; however many processes do so, a run leads to one message. */
export function startAgentWorker({ database, log, pollMs }: AgentWorkerOptions): { stop(): Promise<void> } {
  return startClaimWorker<ClaimedRun>({
    atOnce: AT_ONCE,
    claim: (limit) => claimRuns(database, limit),
    run: (run) => asTrace(database, 'run agent', run, () => carryOut(database, run)),
    release: (runs) => releaseRuns(database, runs),
    log,
    pollMs,
  })
}
