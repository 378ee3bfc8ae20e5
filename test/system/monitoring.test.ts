import { describeWith } from '../support/programs.js'
import { launch } from './cli/run.js'

describeWith(['promtool'], 'Prometheus', () => {
  test('reads the rules for alerts', async () => {
    const { code, stdout, stderr } = await launch('promtool', ['check', 'rules', 'docs/monitoring/alerts.yml']).finished
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/SUCCESS: \d+ rules found/)
  })
})
