import { FlowStatus, type Step, StepKind } from '../../src/domains/flows/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeEnrollment, makeFlow } from '../support/factories/flows.js'
import { makeSender, makeTemplate } from '../support/factories/mail.js'
import { defaultPipelineOf } from '../support/factories/pipelines.js'
import { makeContact, makeTag, makeTenant, type Tenant } from '../support/factories.js'
import { dataOf, describeGuards, failureOf, faultsOf, TIMESTAMP } from '../support/graphql.js'
import { untilBehind } from '../support/holding.js'
import { sellersOf } from '../support/sellers.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp({ encryptionKey: Buffer.alloc(32, 7) })
})
afterAll(() => service.stop())

const STEPS = 'steps { kind templateId senderId waitSeconds tagId stageId }'
const FLOW = `id name status version sendWindow { days from until } counts { enrolled active paused completed stopped failed }
  createdAt updatedAt ${STEPS}`
const ENROLLMENT = `id flowId contactId opportunityId version state step dueAt mailId endReason error endedAt createdAt
  ${STEPS} flow { name } `
const CREATE = `mutation ($input: CreateFlowInput!) { createFlow(input: $input) { ${FLOW} } }`
const UPDATE = `mutation ($id: ID!, $input: UpdateFlowInput!) { updateFlow(id: $id, input: $input) { ${FLOW} } }`
const GET = `query ($id: ID!) { flow(id: $id) { ${FLOW} } }`
const PAGE = 'pagination { page perPage total totalPages hasNext hasPrev nextCursor }'
const LIST = `query ($filter: FlowFilter, $sort: FlowSort, $page: Int, $limit: Int) {
  flows(filter: $filter, sort: $sort, page: $page, limit: $limit) { items { ${FLOW} } ${PAGE} } }`
const ENROLLMENTS = `query ($filter: FlowEnrollmentFilter, $sort: FlowEnrollmentSort, $limit: Int, $cursor: String) {
  flowEnrollments(filter: $filter, sort: $sort, limit: $limit, cursor: $cursor) { items { ${ENROLLMENT} } ${PAGE} } }`
const ENROLL = `mutation ($flowId: ID!, $contactId: ID!) { enrollInFlow(flowId: $flowId, contactId: $contactId) {
  ${ENROLLMENT} } }`
const change = (name: string, fields = FLOW) => `mutation ($id: ID!) { ${name}(id: $id) { ${fields} } }`

const STOP: Step[] = [{ kind: StepKind.STOP }]
const WAIT: Step[] = [{ kind: StepKind.WAIT, waitSeconds: 3600 }, { kind: StepKind.STOP }]

const inStatus = async ({ accountId }: Tenant, status: FlowStatus, steps = WAIT) => ({
  id: (await makeFlow(service.database, accountId, { status, steps })).id,
})
const somebody = async ({ accountId }: Tenant, overrides = {}) =>
  (await makeContact(service.database, accountId, { email: 'ana@example.com', ...overrides })).id
const enrolled = async ({ accountId }: Tenant, steps = WAIT) => {
  const flow = await makeFlow(service.database, accountId, { steps })
  return makeEnrollment(service.database, accountId, { flowId: flow.id })
}
const endAll = (accountId: string, state: string) =>
  service.database.pool.query(
    `update flow_enrollment set state = $2, due_at = null, ended_at = now(), end_reason = 'step_failed',
       error = 'Step 1: It failed.' where account_id = $1`,
    [accountId, state],
  )

// What a mutation shows beyond its own permission is asked for elsewhere.
const bare = (name: string) => `mutation ($id: ID!) { ${name}(id: $id) { id } }`
describeGuards(
  () => service,
  [
    {
      name: 'createFlow',
      query: 'mutation ($input: CreateFlowInput!) { createFlow(input: $input) { id } }',
      permission: 'flows:write',
      variables: () => ({ input: { name: 'A', steps: [{ kind: 'STOP' }] } }),
    },
    {
      name: 'updateFlow',
      query: 'mutation ($id: ID!, $input: UpdateFlowInput!) { updateFlow(id: $id, input: $input) { id } }',
      permission: 'flows:write',
      id: 'id',
      variables: async (tenant) => ({ ...(await inStatus(tenant, FlowStatus.ACTIVE)), input: { name: 'B' } }),
    },
    ...(
      [
        ['activateFlow', FlowStatus.DRAFT],
        ['pauseFlow', FlowStatus.ACTIVE],
        ['resumeFlow', FlowStatus.PAUSED],
        ['archiveFlow', FlowStatus.ACTIVE],
      ] as const
    ).map(([name, status]) => ({
      name,
      query: bare(name),
      permission: 'flows:write' as const,
      id: 'id',
      variables: (tenant: Tenant) => inStatus(tenant, status),
    })),
    {
      name: 'enrollInFlow',
      query: 'mutation ($flowId: ID!, $contactId: ID!) { enrollInFlow(flowId: $flowId, contactId: $contactId) { id } }',
      permission: 'flows:enroll',
      id: 'flowId',
      variables: async (tenant) => ({
        flowId: (await inStatus(tenant, FlowStatus.ACTIVE)).id,
        contactId: await somebody(tenant),
      }),
    },
    {
      name: 'stopFlowEnrollment',
      query: bare('stopFlowEnrollment'),
      permission: 'flows:enroll',
      id: 'id',
      variables: async (tenant) => ({ id: (await enrolled(tenant)).id }),
    },
    {
      name: 'retryFlowEnrollment',
      query: bare('retryFlowEnrollment'),
      permission: 'flows:enroll',
      id: 'id',
      variables: async (tenant) => {
        const { id } = await enrolled(tenant)
        await endAll(tenant.accountId, 'failed')
        return { id }
      },
    },
  ],
)

describe('a flow', () => {
  test('is a draft at first, with its steps and hours', async () => {
    const { client, accountId } = await makeTenant(service)
    const { database } = service
    const [template, sender] = [await makeTemplate(database, accountId), await makeSender(database, accountId)]
    const [tag, pipeline] = [await makeTag(database, accountId), await defaultPipelineOf(database, accountId)]
    const stageId = pipeline.stageIds[0]!
    const nothing = { templateId: null, senderId: null, waitSeconds: null, tagId: null, stageId: null }
    const steps = [
      { kind: 'SEND', templateId: template.id, senderId: sender.id.toUpperCase() },
      { kind: 'WAIT', waitSeconds: 86_400 },
      { kind: 'TAG', tagId: tag.id },
      { kind: 'MOVE', stageId },
      { kind: 'STOP' },
    ]
    const sendWindow = { days: [5, 1, 1], from: '09:00', until: '24:00' }
    const made = dataOf(await client.graphql(CREATE, { input: { name: ' Welcome ', steps, sendWindow } }))
    expect(made).toEqual({
      id: expect.any(String),
      name: 'Welcome',
      status: 'DRAFT',
      version: 1,
      sendWindow: { days: [1, 5], from: '09:00', until: '24:00' },
      counts: { enrolled: 0, active: 0, paused: 0, completed: 0, stopped: 0, failed: 0 },
      createdAt: TIMESTAMP,
      updatedAt: TIMESTAMP,
      steps: [
        { ...nothing, kind: 'SEND', templateId: template.id, senderId: sender.id },
        { ...nothing, kind: 'WAIT', waitSeconds: 86_400 },
        { ...nothing, kind: 'TAG', tagId: tag.id },
        { ...nothing, kind: 'MOVE', stageId },
        { ...nothing, kind: 'STOP' },
      ],
    })
    expect(dataOf(await client.graphql(GET, { id: made.id }))).toEqual(made)
  })

  test('whose steps or hours are wrong is not stored: each fault is told', async () => {
    const { client } = await makeTenant(service)
    const other = await makeTenant(service)
    const theirs = await makeTemplate(service.database, other.accountId)
    const refusal = async (input: object) => faultsOf(await client.graphql(CREATE, { input: { name: 'A', ...input } }))
    expect(await refusal({ steps: [] })).toEqual(['input.steps: must hold one step at least'])
    expect(await refusal({ steps: Array(51).fill({ kind: 'STOP' }) })).toEqual([
      'input.steps: must hold 50 steps at most',
    ])
    const steps = [
      { kind: 'SEND' },
      { kind: 'WAIT', waitSeconds: 366 * 86_400 + 1 },
      { kind: 'STOP', waitSeconds: 5, tagId: theirs.id },
    ]
    expect(await refusal({ steps })).toEqual([
      'input.steps.0.templateId: is needed in a step of kind SEND',
      'input.steps.1.waitSeconds: must be at most 31622400, which is a year',
      'input.steps.2.waitSeconds: does not belong into a step of kind STOP',
      'input.steps.2.tagId: does not belong into a step of kind STOP',
    ])
    expect(await refusal({ steps: [{ kind: 'SEND', templateId: theirs.id, senderId: theirs.id }] })).toEqual([
      'input.steps.0.templateId: is not the id of an email template',
      'input.steps.0.senderId: is not the id of an email sender',
    ])
    const unknown = [
      { kind: 'TAG', tagId: theirs.id },
      { kind: 'MOVE', stageId: theirs.id },
    ]
    expect(await refusal({ steps: unknown })).toEqual([
      'input.steps.0.tagId: is not the id of a tag',
      'input.steps.1.stageId: is not the id of a stage',
    ])
    const good = [{ kind: 'STOP' }]
    expect(await refusal({ steps: good, sendWindow: { days: [], from: '9', until: '24:01' } })).toEqual([
      'input.sendWindow.days: must hold one day at least',
      'input.sendWindow.from: must be a time as HH:MM',
      'input.sendWindow.until: must be a time as HH:MM',
    ])
    expect(await refusal({ steps: good, sendWindow: { days: [0, 8], from: '18:00', until: '09:00' } })).toEqual([
      'input.sendWindow.days: must be numbers from 1 (Monday) to 7 (Sunday)',
      'input.sendWindow.until: must be later than from',
    ])
  })

  test('that is edited has a new version, and keeps it where nothing is other', async () => {
    const { client } = await makeTenant(service)
    const sendWindow = { days: [1], from: '09:00', until: '10:00' }
    const input = { name: 'A', steps: [{ kind: 'WAIT', waitSeconds: 5 }], sendWindow }
    const { id } = dataOf(await client.graphql(CREATE, { input }))
    const update = async (input: object) => dataOf(await client.graphql(UPDATE, { id, input }))
    expect(await update(input)).toMatchObject({ version: 1 })
    expect(await update({ name: 'B' })).toMatchObject({ name: 'B', version: 1, sendWindow })
    expect(await update({ sendWindow: null })).toMatchObject({
      version: 2,
      sendWindow: null,
      steps: [{ kind: 'WAIT' }],
    })
    expect(await update({ steps: [{ kind: 'STOP' }] })).toMatchObject({ version: 3, steps: [{ kind: 'STOP' }] })
    expect(faultsOf(await client.graphql(UPDATE, { id, input: { name: null } }))).toHaveLength(1)
  })

  test('goes from state to state, and says where it cannot', async () => {
    const { client } = await makeTenant(service)
    const { id } = dataOf(await client.graphql(CREATE, { input: { name: 'A', steps: [{ kind: 'STOP' }] } }))
    const statuses: string[] = []
    const to = async (name: string) => {
      const { body } = await client.graphql(change(name), { id })
      statuses.push(body.errors?.[0].message ?? body.data[name].status)
    }
    for (const name of ['resumeFlow', 'activateFlow', 'activateFlow', 'pauseFlow', 'pauseFlow', 'resumeFlow'])
      await to(name)
    for (const name of ['archiveFlow', 'archiveFlow', 'activateFlow']) await to(name)
    expect(statuses).toEqual([
      'The flow is a draft: it cannot become active.',
      'ACTIVE',
      'The flow is active: it cannot become active.',
      'PAUSED',
      'The flow is paused: it cannot become paused.',
      'ACTIVE',
      'ARCHIVED',
      'The flow is archived: it cannot become archived.',
      'The flow is archived: it cannot become active.',
    ])
    expect(failureOf(await client.graphql(UPDATE, { id, input: { name: 'B' } }))).toMatchObject({ code: 'WRONG_STATE' })
  })

  test('that names what is gone meanwhile does not become active', async () => {
    const { client, accountId } = await makeTenant(service)
    const tag = await makeTag(service.database, accountId)
    const template = await makeTemplate(service.database, accountId)
    const steps = [
      { kind: 'TAG', tagId: tag.id },
      { kind: 'SEND', templateId: template.id },
    ]
    const { id } = dataOf(await client.graphql(CREATE, { input: { name: 'A', steps } }))
    dataOf(await client.graphql(bare('deleteTag'), { id: tag.id }))
    dataOf(await client.graphql(bare('deleteEmailTemplate'), { id: template.id }))
    expect(faultsOf(await client.graphql(change('activateFlow'), { id }))).toEqual([
      'id: has no tag in step 1',
      'id: has no email template in step 2',
      'id: has no default sender in step 2',
    ])
  })

  test('edited by two at once has a version of each', async () => {
    const tenant = await makeTenant(service)
    const { id } = await inStatus(tenant, FlowStatus.ACTIVE)
    const edits = [1, 2, 3, 4].map((waitSeconds) =>
      tenant.client.graphql(UPDATE, { id, input: { steps: [{ kind: 'WAIT', waitSeconds }] } }),
    )
    const versions = (await Promise.all(edits)).map((answer) => dataOf(answer).version)
    expect(versions.sort()).toEqual([2, 3, 4, 5])
  })
})

describe('the list of flows', () => {
  test('is filtered, sorted and paged, with ties by id', async () => {
    const tenant = await makeTenant(service)
    const { client, accountId } = tenant
    const ids: string[] = []
    for (const [name, status] of [
      ['Ébano', FlowStatus.ACTIVE],
      ['ebano', FlowStatus.DRAFT],
      ['Acacia', FlowStatus.ACTIVE],
    ] as const) {
      const { id } = await inStatus(tenant, status)
      await service.database.pool.query('update flow set name = $2 where id = $1', [id, name])
      ids.push(id)
    }
    await service.database.pool.query(`update flow set created_at = '2026-01-01' where account_id = $1`, [accountId])
    await makeFlow(service.database, (await makeTenant(service)).accountId)
    const list = async (variables: Record<string, unknown>) => dataOf(await client.graphql(LIST, variables))
    const idsOf = async (variables: Record<string, unknown>) =>
      (await list(variables)).items.map(({ id }: { id: string }) => ids.indexOf(id))
    expect(await idsOf({})).toEqual([2, 1, 0])
    expect(await idsOf({ sort: { by: 'NAME', order: 'ASC' } })).toEqual([2, 0, 1])
    expect(await idsOf({ sort: { by: 'CREATED_AT', order: 'ASC' } })).toEqual([0, 1, 2])
    expect(await idsOf({ filter: { status: 'Active' } })).toEqual([2, 0])
    expect(await idsOf({ filter: { status: 'none' } })).toEqual([])
    expect(await idsOf({ filter: { search: 'EBA' } })).toEqual([1, 0])
    expect(await idsOf({ page: 2, limit: 2 })).toEqual([0])
    expect((await list({ page: 2, limit: 2 })).pagination).toMatchObject({ total: 3, totalPages: 2, hasNext: false })
  })

  test('counts who is in each, in one statement, and for a seller their own', async () => {
    const sellers = sellersOf(() => service)
    try {
      const tenant = await makeTenant(service)
      const { client, accountId } = tenant
      const { flowId } = await enrolled(tenant)
      const failed = await makeEnrollment(service.database, accountId, { flowId })
      await service.database.pool.query(
        `update flow_enrollment set state = 'failed', due_at = null, ended_at = now() where id = $1`,
        [failed.id],
      )
      await makeFlow(service.database, accountId)
      const { result, statements } = await service.statementsOf(() => client.graphql(LIST, {}))
      const [none, some] = dataOf(result).items
      expect(none.counts).toMatchObject({ enrolled: 0, active: 0 })
      expect(some.counts).toEqual({ enrolled: 2, active: 1, paused: 0, completed: 0, stopped: 0, failed: 1 })
      expect(statements).toHaveLength(1)
      const seller = await sellers.make(accountId)
      await service.database.pool.query(
        `insert into contact_seller (account_id, user_id, contact_id, created) values ($1, $2, $3, true)`,
        [accountId, seller.user.id, failed.contactId],
      )
      const shown = dataOf(await seller.client.graphql(GET, { id: flowId }))
      expect(shown.counts).toEqual({ enrolled: 1, active: 0, paused: 0, completed: 0, stopped: 0, failed: 1 })
    } finally {
      sellers.restore()
    }
  })
})

describe('a contact', () => {
  test('that is enrolled begins with the present version, and keeps it', async () => {
    const tenant = await makeTenant(service)
    const { client } = tenant
    const { id: flowId } = await inStatus(tenant, FlowStatus.ACTIVE)
    const contactId = await somebody(tenant)
    const before = Date.now()
    const made = dataOf(await client.graphql(ENROLL, { flowId, contactId }))
    expect(made).toMatchObject({
      ...{ flowId, contactId, opportunityId: null, version: 1, state: 'ACTIVE', step: 1, mailId: null },
      ...{ endReason: null, error: null, endedAt: null, dueAt: TIMESTAMP },
      steps: [{ kind: 'WAIT', waitSeconds: 3600 }, { kind: 'STOP' }],
    })
    expect(Date.parse(made.dueAt) - before).toBeGreaterThanOrEqual(3_600_000)
    expect(Date.parse(made.dueAt) - Date.now()).toBeLessThanOrEqual(3_600_000)
    dataOf(await client.graphql(UPDATE, { id: flowId, input: { steps: [{ kind: 'STOP' }] } }))
    const { items } = dataOf(await client.graphql(ENROLLMENTS, { filter: { flowId } }))
    expect(items).toEqual([made])
  })

  test('that waited for an edit of the flow begins with the version that came of it', async () => {
    const tenant = await makeTenant(service)
    const { id: flowId } = await inStatus(tenant, FlowStatus.ACTIVE)
    const contactId = await somebody(tenant)
    const editor = await service.database.pool.connect()
    try {
      await editor.query('begin')
      await editor.query('update flow set version = 2 where account_id = $1 and id = $2', [tenant.accountId, flowId])
      await editor.query(
        `insert into flow_version (id, account_id, flow_id, number, steps)
         values (gen_random_uuid(), $1, $2, 2, '[{"kind": "stop"}, {"kind": "stop"}]')`,
        [tenant.accountId, flowId],
      )
      const enrolling = tenant.client.graphql(ENROLL, { flowId, contactId })
      await untilBehind(service.database, editor)
      await editor.query('commit')
      const steps = [{ kind: 'STOP' }, { kind: 'STOP' }]
      expect(dataOf(await enrolling)).toMatchObject({ version: 2, state: 'ACTIVE', step: 0, steps })
    } finally {
      editor.release()
    }
  })

  test('that cannot be enrolled is told why', async () => {
    const tenant = await makeTenant(service)
    const other = await makeTenant(service)
    const { client } = tenant
    const { id: flowId } = await inStatus(tenant, FlowStatus.ACTIVE)
    const contactId = await somebody(tenant)
    const refusal = async (changes: object) => {
      const { body } = await client.graphql(ENROLL, { flowId, contactId, ...changes })
      return `${body.errors[0].extensions.code}: ${body.errors[0].message}`
    }
    for (const status of [FlowStatus.DRAFT, FlowStatus.PAUSED, FlowStatus.ARCHIVED]) {
      expect(await refusal({ flowId: (await inStatus(tenant, status)).id })).toBe(
        `WRONG_STATE: The flow is not active: it is ${status === FlowStatus.DRAFT ? 'a draft' : status}.`,
      )
    }
    const theirs = await somebody(other)
    expect(await refusal({ contactId: theirs })).toBe('NOT_FOUND: There is no such contact.')
    expect(await refusal({ contactId: 'x' })).toBe('NOT_FOUND: There is no such contact.')
    expect(await refusal({ contactId: await somebody(tenant, { email: null }) })).toBe(
      'VALIDATION_ERROR: The contact has no email address.',
    )
    const left = await somebody(tenant, { email: 'left@example.com' })
    dataOf(await client.graphql('mutation { suppressAddress(input: { address: "LEFT@example.com" }) { id } }'))
    expect(await refusal({ contactId: left })).toBe(
      'VALIDATION_ERROR: The person wants no mail from this account any more.',
    )
    const first = dataOf(await client.graphql(ENROLL, { flowId, contactId }))
    const twice = await client.graphql(ENROLL, { flowId, contactId })
    expect(failureOf(twice)).toMatchObject({ code: 'DUPLICATE_ERROR', details: [{ existingId: first.id }] })
    expect(twice.body.errors[0].message).toBe('The contact is in this flow already.')
    dataOf(await client.graphql(change('stopFlowEnrollment', 'id'), { id: first.id }))
    expect(await refusal({})).toBe(
      'DUPLICATE_ERROR: The contact is in this flow already, and is through with it: stopped.',
    )
  })

  test('is enrolled once by many calls at once', async () => {
    const tenant = await makeTenant(service)
    const { id: flowId } = await inStatus(tenant, FlowStatus.ACTIVE)
    const contactId = await somebody(tenant)
    const calls = Array.from({ length: 6 }, () => tenant.client.graphql(ENROLL, { flowId, contactId }))
    const outcomes = (await Promise.all(calls)).map(({ body }) => body.errors?.[0].extensions.code ?? 'made')
    expect(outcomes.sort()).toEqual([...Array(5).fill('DUPLICATE_ERROR'), 'made'])
  })

  test('of a flow of waits alone is through at once', async () => {
    const tenant = await makeTenant(service)
    const { id: flowId } = await inStatus(tenant, FlowStatus.ACTIVE, [{ kind: StepKind.WAIT, waitSeconds: 5 }])
    const made = dataOf(await tenant.client.graphql(ENROLL, { flowId, contactId: await somebody(tenant) }))
    expect(made).toMatchObject({ state: 'COMPLETED', endReason: 'FINISHED', dueAt: null, endedAt: TIMESTAMP })
  })

  test('is taken out by hand, once; what failed is tried again, and nothing else', async () => {
    const tenant = await makeTenant(service)
    const { client, accountId } = tenant
    const { id } = await enrolled(tenant)
    const [stop, retry] = ['stopFlowEnrollment', 'retryFlowEnrollment'].map((name) => change(name, ENROLLMENT))
    expect(failureOf(await client.graphql(retry!, { id }))).toMatchObject({ code: 'WRONG_STATE' })
    expect(dataOf(await client.graphql(stop!, { id }))).toMatchObject({ state: 'STOPPED', endReason: 'BY_HAND' })
    expect(failureOf(await client.graphql(stop!, { id }))).toMatchObject({ code: 'WRONG_STATE' })
    await endAll(accountId, 'failed')
    expect(dataOf(await client.graphql(retry!, { id }))).toMatchObject({
      state: 'ACTIVE',
      error: null,
      endReason: null,
    })
  })

  test('of somebody else is nothing to a seller', async () => {
    const sellers = sellersOf(() => service)
    try {
      const tenant = await makeTenant(service)
      const { id, flowId } = await enrolled(tenant)
      const { client } = await sellers.make(tenant.accountId)
      expect(dataOf(await client.graphql(ENROLLMENTS, {})).items).toEqual([])
      const contactId = await somebody(tenant)
      for (const [query, variables] of [
        [change('stopFlowEnrollment', 'id'), { id }],
        [change('retryFlowEnrollment', 'id'), { id }],
        [`query ($id: ID!) { flowEnrollment(id: $id) { id } }`, { id }],
        [ENROLL, { flowId, contactId }],
      ] as const) {
        expect(failureOf(await client.graphql(query, variables))).toMatchObject({ code: 'NOT_FOUND' })
      }
    } finally {
      sellers.restore()
    }
  })
})

describe('the list of enrollments', () => {
  test('is filtered, sorted and paged, with ties by id', async () => {
    const tenant = await makeTenant(service)
    const { client, accountId } = tenant
    const made = [await enrolled(tenant), await enrolled(tenant), await enrolled(tenant)]
    const { pool } = service.database
    await pool.query(`update flow_enrollment set created_at = '2026-01-01' where account_id = $1`, [accountId])
    await pool.query(
      `update flow_enrollment set state = 'stopped', end_reason = 'replied', ended_at = now(), due_at = null where id = $1`,
      [made[1]!.id],
    )
    await enrolled(await makeTenant(service))
    const list = async (variables: Record<string, unknown>) => dataOf(await client.graphql(ENROLLMENTS, variables))
    const idsOf = async (variables: Record<string, unknown>) =>
      (await list(variables)).items.map((one: { id: string }) => made.findIndex(({ id }) => id === one.id))
    expect(await idsOf({})).toEqual([2, 1, 0])
    expect(await idsOf({ sort: { by: 'DUE_AT', order: 'ASC' } })).toEqual([0, 2, 1])
    expect(await idsOf({ sort: { by: 'DUE_AT', order: 'DESC' } })).toEqual([2, 0, 1])
    expect(await idsOf({ filter: { state: 'STOPPED' } })).toEqual([1])
    expect(await idsOf({ filter: { endReason: 'replied' } })).toEqual([1])
    expect(await idsOf({ filter: { contactId: made[2]!.contactId } })).toEqual([2])
    expect(await idsOf({ filter: { flowId: made[0]!.flowId, state: 'active' } })).toEqual([0])
    expect(await idsOf({ filter: { flowId: 'x' } })).toEqual([])
    const first = await list({ limit: 2 })
    expect(await idsOf({ limit: 2, cursor: first.pagination.nextCursor })).toEqual([0])
  })

  test('takes one statement, whatever it has of steps, and one more for the flows', async () => {
    const tenant = await makeTenant(service)
    for (let i = 0; i < 3; i++) await enrolled(tenant, STOP)
    const { statements } = await service.statementsOf(() => tenant.client.graphql(ENROLLMENTS, {}))
    expect(statements).toHaveLength(2)
  })
})
