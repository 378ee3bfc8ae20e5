import { randomUUID } from 'node:crypto'
import { Scope } from '../../src/database/index.js'
import { AiAgentStatus } from '../../src/domains/agents/index.js'
import { tryOut } from '../../src/domains/workflows/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeAiAgent } from '../support/factories/conversations.js'
import { makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

test('an agent that is tried out answers as it would, and keeps nothing', async () => {
  const { database } = service
  const { accountId } = await makeTenant(service)
  const { id: agentId } = await makeAiAgent(database, accountId, {
    status: AiAgentStatus.PAUSED,
    scripts: [{ keywords: ['price'], reply: '100, {{first_name}}.' }],
    criteria: [{ name: 'Has a budget', keywords: ['budget'], points: 50 }],
  })
  const db = Scope.ofSystem(database, accountId)
  const said = [
    { by: 'lead' as const, text: 'I have a budget' },
    { by: 'ai' as const, text: 'Good.' },
    { by: 'lead' as const, text: 'What is the price?' },
  ]
  expect(await tryOut(db, { agentId, said, lead: { name: 'Ana Souza' } })).toEqual({
    reply: '100, Ana.',
    qualification: { score: 50, stage: 'warm', reasons: ['Has a budget'], objections: [] },
    handsOver: null,
    articles: [],
  })
  const { rows } = await database.pool.query('select id from agent_run union all select id from message')
  expect(rows).toEqual([])
  const stranger = Scope.ofSystem(database, (await makeTenant(service)).accountId)
  for (const [scope, id] of [[db, randomUUID()] as const, [db, 'x'] as const, [stranger, agentId] as const]) {
    await expect(tryOut(scope, { agentId: id, said })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  }
})
