import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { environment, main } from './accounts.mjs'
import { cpuMs } from './processes.mjs'

const DAY_SECONDS = 86_400
const HTML = `<p>Hello {{first_name}},</p><p>we help teams{{#company}} like the one at {{company}}{{/company}} to win more of their
leads. May I show you how, in fifteen minutes?</p><p>{{sender_name}}, {{account_name}}</p>`

/** A flow of an account that sends mails to a mail server of its own, and a worker that has it do so. */
export class FlowStock {
  /** Makes a template, a sender and an active flow of one mail, a wait and another mail. */
  static async make(bench, account) {
    const smtp = fork(new URL('smtp.mjs', import.meta.url))
    const [{ port }] = await once(smtp, 'message')
    const ask = (query, variables) => bench.mutate(account, query, variables)
    const template = 'mutation ($input: CreateEmailTemplateInput!) { createEmailTemplate(input: $input) { id } }'
    const templateId = await ask(template, {
      input: { name: 'Bench', subject: '{{first_name}}, an idea', html: HTML },
    })
    const sender = 'mutation ($input: CreateEmailSenderInput!) { createEmailSender(input: $input) { id } }'
    const address = `bench-${Date.now()}@bench.example`
    const senderId = await ask(sender, { input: { name: 'Ana', address } })
    await bench.sql(`update email_sender set verified_at = now() where id = '${senderId}'`)
    const send = { kind: 'SEND', templateId, senderId }
    const steps = [send, { kind: 'WAIT', waitSeconds: 3 * DAY_SECONDS }, send]
    const flow = 'mutation ($input: CreateFlowInput!) { createFlow(input: $input) { id } }'
    const flowId = await ask(flow, { input: { name: 'Bench', steps } })
    await ask('mutation ($id: ID!) { activateFlow(id: $id) { id } }', { id: flowId })
    return new FlowStock(bench, account, { smtp, port, flowId, senderId, templateId })
  }

  constructor(bench, account, parts) {
    Object.assign(this, { bench, account, ...parts })
  }

  /** Has so many contacts be in the flow, each with a mail that is due. */
  async due(count) {
    const { account_id } = this.account
    await this.bench.sql(
      `delete from flow_enrollment where flow_id = '${this.flowId}'`,
      `delete from mail where account_id = '${account_id}'`,
      `insert into flow_enrollment (id, account_id, flow_id, version, contact_id, state, step, due_at)
        select gen_random_uuid(), account_id, '${this.flowId}', 1, id, 'active', 0, now()
        from contact where account_id = '${account_id}' and email is not null order by id limit ${count}`,
      'vacuum analyze flow_enrollment',
    )
  }

  /** Starts a worker; resolves once so many mails have arrived, to the seconds that took and what CPU it cost. */
  async drained(count) {
    const { smtp, port, bench } = this
    const env = { ...environment(bench.postgres.url), SMTP_URL: `smtp://127.0.0.1:${port}` }
    const cpu = () => ({ postgres: cpuMs(bench.postgres.pid), smtp: cpuMs(smtp.pid) })
    const before = cpu()
    const begin = performance.now()
    const worker = spawn(process.execPath, [main, 'worker'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    smtp.send({ expect: count })
    await once(smtp, 'message')
    const seconds = (performance.now() - begin) / 1000
    const after = cpu()
    const workerCpu = cpuMs(worker.pid)
    worker.kill('SIGTERM')
    await once(worker, 'exit')
    return { seconds, workerCpu, postgresCpu: after.postgres - before.postgres, smtpCpu: after.smtp - before.smtp }
  }

  /** Starts a worker that can be held still, so that windows with it and without lie next to each other. */
  pausable() {
    const env = { ...environment(this.bench.postgres.url), SMTP_URL: `smtp://127.0.0.1:${this.port}` }
    const worker = spawn(process.execPath, [main, 'worker'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    return {
      pause: () => worker.kill('SIGSTOP'),
      goOn: () => worker.kill('SIGCONT'),
      stop: async () => {
        worker.kill('SIGKILL')
        await once(worker, 'exit')
      },
    }
  }

  /** Takes away what was made, and ends the mail server. */
  async close() {
    const { account_id } = this.account
    await this.bench.sql(
      `delete from flow_enrollment where flow_id = '${this.flowId}'`,
      `delete from mail where account_id = '${account_id}'`,
      `update flow set status = 'archived' where id = '${this.flowId}'`,
      `update email_sender set deleted_at = now() where id = '${this.senderId}'`,
    )
    this.smtp.kill()
  }
}
