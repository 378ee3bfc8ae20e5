import { rowLock, type Scope } from '../../database/index.js'
import { tellChange, tellUpdate } from '../../kit/changes.js'
import type { DeletedRecord } from '../../kit/deleted.js'
import { notFound } from '../../shared/errors.js'
import { given } from '../../shared/given.js'
import { isUuid } from '../../shared/ids.js'
import { type InstagramAgentRow, instagramAgentReads } from './agent.reads.js'
import { InstagramAgent } from './instagram.entity.js'
import type { CreateInstagramAgentInput, UpdateInstagramAgentInput } from './instagram.inputs.js'

/** Creates a collection agent, active unless said otherwise. */
export function createInstagramAgent(db: Scope, input: CreateInstagramAgentInput): Promise<InstagramAgentRow> {
  return db.unitOfWork(async (em) => {
    const agent = em.create(InstagramAgent, { ...input, accountId: db.accountId })
    await em.flush()
    await tellChange(db, 'instagram_agent', agent.id, 'created')
    db.wrote(agent.id)
    return (await instagramAgentReads.find(db, agent.id))!
  })
}

const agentLock = rowLock('instagram_agent')

/** Changes the given fields of a collection agent. */
export function updateInstagramAgent(
  db: Scope,
  id: string,
  input: UpdateInstagramAgentInput,
): Promise<InstagramAgentRow> {
  return db.unitOfWork(async (em) => {
    if (isUuid(id)) agentLock.toChange(db, id)
    const agent = isUuid(id) ? await em.findOne(InstagramAgent, { id, accountId: db.accountId }) : null
    if (!agent) throw notFound('Instagram agent')
    Object.assign(agent, given(input))
    await tellUpdate(db, em, 'instagram_agent', agent)
    await em.flush()
    db.wrote(agent.id)
    return (await instagramAgentReads.find(db, agent.id))!
  })
}

/** Deletes a collection agent with the profiles that it holds. */
export function deleteInstagramAgent(db: Scope, id: string): Promise<DeletedRecord> {
  return db.unitOfWork(async (em) => {
    const deleted = isUuid(id) ? await em.nativeDelete(InstagramAgent, { id, accountId: db.accountId }) : 0
    if (deleted === 0) throw notFound('Instagram agent')
    await tellChange(db, 'instagram_agent', id.toLowerCase(), 'deleted')
    return { id: id.toLowerCase(), deleted: true }
  })
}
