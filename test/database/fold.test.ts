import { startTestApp, type TestApp } from '../support/app.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

test('the short way that plain ASCII takes through fold() yields what the long way would', async () => {
  const { rows } = await service.database.pool.query(`
    select t from (select chr(i) || 'É' || chr(i) as t from generate_series(1, 127) i) s
    where fold(replace(t, 'É', 'e')) is distinct from fold(t)`)
  expect(rows).toEqual([])
})

test('fold() takes case, accents, the marks of other scripts and compatibility forms off', async () => {
  const fold = async (text: string) =>
    (await service.database.pool.query<{ folded: string }>('select fold($1) as folded', [text])).rows[0]!.folded
  expect(await fold('JOÃO da Conceição')).toBe('joao da conceicao')
  expect(await fold('Ὀδυσσεύς ﬁn ＡＢＣ')).toBe('οδυσσευσ fin abc')
  expect(await fold('')).toBe('')
})
