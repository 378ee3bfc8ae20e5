import type { Database } from '../../../src/database/index.js'
import { Pipeline, RoundRobinMember, RoundRobinRule, Stage } from '../../../src/domains/pipelines/index.js'

/** A pipeline of the account with stages of the given names or fields, straight into the database. */
export async function makePipeline(
  database: Database,
  accountId: string,
  { stages = ['First', 'Second'], ...overrides }: Partial<Pipeline> & { stages?: (string | Partial<Stage>)[] } = {},
): Promise<Pipeline & { stages: Stage[] }> {
  const em = database.fork()
  const pipeline = em.create(Pipeline, { name: 'Pipeline', displayOrder: 1, ...overrides, accountId })
  const made = stages.map((given, i) => {
    const fields = typeof given === 'string' ? { name: given } : given
    return em.create(Stage, { name: `Stage ${i + 1}`, ...fields, accountId, pipelineId: pipeline.id, position: i + 1 })
  })
  await em.flush()
  return Object.assign(pipeline, { stages: made })
}

/** The id of the account's default pipeline, and those of its stages in their order. */
export async function defaultPipelineOf(
  { pool }: Database,
  accountId: string,
): Promise<{ id: string; stageIds: string[] }> {
  const { rows } = await pool.query<{ id: string; stageIds: string[] }>(
    `select p.id, array(select s.id::text from stage s where s.pipeline_id = p.id order by s.position) as "stageIds"
     from pipeline p where p.account_id = $1 and p.is_default`,
    [accountId],
  )
  return rows[0]!
}

/** A round-robin rule of the account with these users as members, in their order. */
export async function makeRule(
  database: Database,
  accountId: string,
  { userIds = [], ...overrides }: Partial<RoundRobinRule> & { userIds?: string[] } = {},
): Promise<RoundRobinRule> {
  const em = database.fork()
  const rule = em.create(RoundRobinRule, { ...overrides, accountId })
  for (const [i, userId] of userIds.entries()) {
    em.create(RoundRobinMember, { accountId, ruleId: rule.id, userId, position: i + 1 })
  }
  await em.flush()
  return rule
}

/** An opportunity in a stage of a pipeline, with as little else as the database allows. */
export async function standIn(
  { pool }: Database,
  accountId: string,
  { pipelineId, stageId }: { pipelineId: string; stageId: string },
): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into opportunity (id, account_id, title, currency, pipeline_id, stage_id)
     values (gen_random_uuid(), $1, 'Opportunity', 'BRL', $2, $3) returning id`,
    [accountId, pipelineId, stageId],
  )
  return rows[0]!.id
}
