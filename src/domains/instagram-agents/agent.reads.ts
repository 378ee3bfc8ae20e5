import { hasWord, Reads } from '../../kit/reads/index.js'
import { InstagramAgent } from './instagram.entity.js'
import type { InstagramAgentFilter } from './instagram.inputs.js'

/** An agent as a read brings it. */
export type InstagramAgentRow = Omit<InstagramAgent, 'accountId'>

/** The reads of collection agents. */
export const instagramAgentReads = new Reads<InstagramAgentRow, InstagramAgentFilter>({
  entity: InstagramAgent,
  filters: { status: hasWord('status') } satisfies Record<keyof InstagramAgentFilter, unknown>,
  sorts: { created_at: 'createdAt' },
})
