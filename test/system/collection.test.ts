import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { jest } from '@jest/globals'
import { makeAgency, newClient } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { installFixture } from '../support/fixture-folder.js'
import { World } from '../support/fixtures.js'
import { DESCRIBED_APIS } from '../support/openapi.js'

// A registry first.
jest.setTimeout(600_000)

const run = promisify(execFile)
const FIXTURE = fileURLToPath(new URL('collection', import.meta.url))
const COLLECTION = fileURLToPath(
  new URL('../../schema/clients/postman/fairlead.postman_collection.json', import.meta.url),
)

let service: TestApp
let folder: string
beforeAll(async () => {
  await installFixture(FIXTURE)
  service = await startTestApp()
  folder = mkdtempSync(join(tmpdir(), 'fairlead-collection-'))
})
afterAll(async () => {
  await service?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** What newman tells of one request. */
interface Execution {
  item: { name: string }
  response?: { code: number; stream: { data: number[] } }
}

/** The collection with these variables, sent request by request by newman. */
async function sent(variables: Record<string, string>): Promise<Execution[]> {
  const collection = JSON.parse(readFileSync(COLLECTION, 'utf8'))
  for (const variable of collection.variable) variable.value = variables[variable.key] ?? variable.value
  const [file, report] = [join(folder, 'collection.json'), join(folder, 'report.json')]
  writeFileSync(file, JSON.stringify(collection))
  const newman = join(FIXTURE, 'node_modules/newman/bin/newman.js')
  const reporting = ['--reporters', 'json', '--reporter-json-export', report]
  await run(process.execPath, ['--no-warnings', newman, 'run', file, ...reporting], { maxBuffer: 2 ** 26 })
  return JSON.parse(readFileSync(report, 'utf8')).run.executions
}

test('every endpoint is a request, and none is refused for how it is sent', async () => {
  const world = await World.make(service)
  const { agencyKey, token, client } = await makeAgency(service)
  const made = (await client.create({ ...newClient(), external_ref: 'r' })).body
  const variables: Record<string, string> = {
    baseUrl: service.origin,
    apiKey: world.key,
    agencyKey,
    token,
    events_event_id: made.event_id,
    sub_accounts_ref: 'ext:r',
  }
  const { variable } = JSON.parse(readFileSync(COLLECTION, 'utf8'))
  for (const { key } of variable) {
    const kind = /^(\w+)_id$/.exec(key)?.[1]?.replaceAll('_', '-')
    if (kind && !variables[key]) variables[key] = await world.id(`${kind}/id`)
  }
  const executions = await sent(variables)
  const names = DESCRIBED_APIS.flatMap(({ operations }) => operations.map(({ object }) => object.operationId))
  expect(executions.map(({ item }) => item.name).toSorted()).toEqual(names.toSorted())
  // Examples name records that this account does not have, and some delete what others want: that is told by 400, 404 and 409.
  const codes = executions.map(({ item, response }) => [item.name, response?.code] as const)
  expect(codes.filter(([, code]) => ![200, 201, 202, 400, 404, 409].includes(code!))).toEqual([])
  const reads = codes.filter(([name]) => /^(list|report|check)/.test(name) && name !== 'listOpportunityHistory')
  expect(reads.filter(([, code]) => code !== 200)).toEqual([])
  for (const name of ['addCampaignContact', 'createSubAccount']) expect(codes).toContainEqual([name, 201])
  const refused = executions.filter(({ response }) => response?.code === 400)
  const faults = refused.flatMap(({ response }) => {
    const { error } = JSON.parse(Buffer.from(response!.stream.data).toString())
    return error.details.map(({ field }: { field: string }) => field)
  })
  expect(faults.filter((field) => !/_id$|^tags/.test(field))).toEqual([])
})
