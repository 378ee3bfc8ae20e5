import { execFileSync } from 'node:child_process'
import { connect } from 'node:net'
import { environment, main } from './accounts.mjs'

const PASSWORD = 'a password of the benchmark'
const LOGIN = 'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) { token } }'
const CHANGE = 'mutation ($from: String!, $to: String!) { changePassword(currentPassword: $from, newPassword: $to) }'

const emailOf = (account, name) => `bench-${name}@${account.account_id}.example`

/** People of an account who sign in over HTTP, and the requests that they make. */
export class People {
  constructor(bench, account) {
    Object.assign(this, { bench, account, url: bench.api.replace('/external/v1', '/graphql') })
  }

  /** Users with these names and roles, all with one password, which one of them has chosen as people do. */
  async make(roles) {
    const { bench, account } = this
    const email = `bench-${Date.now()}@${account.account_id}.example`
    const args = ['user', 'create', '--account', account.account_id, '--email', email, '--role', 'admin', '--json']
    const env = environment(bench.postgres.url)
    const { id, temporary_password: from } = JSON.parse(execFileSync(process.execPath, [main, ...args], { env }))
    const { token } = (await this.ask({ query: LOGIN, variables: { email, password: from } })).login
    await this.ask({ query: CHANGE, variables: { from, to: PASSWORD } }, token)
    const rows = Object.entries(roles).map(([name, role]) => {
      const cells = [account.account_id, name, emailOf(account, name), role]
      return `(gen_random_uuid(), ${cells.map((cell) => `'${cell}'`).join(', ')})`
    })
    await bench.sql(
      `insert into app_user (id, account_id, name, email, role) values ${rows.join(', ')} on conflict do nothing`,
      `update sign_in i set is_temporary = false, password_hash = (select password_hash from sign_in where id = '${id}')
        from app_user u where u.id = i.user_id and u.account_id = '${account.account_id}' and u.email like 'bench-%'`,
    )
  }

  /** Signs in; returns the token of the session. */
  async signIn(name) {
    const variables = { email: emailOf(this.account, name), password: PASSWORD }
    return (await this.ask({ query: LOGIN, variables })).login.token
  }

  /**
   * Signs in all at once, each over a connection of its own; resolves to milliseconds and, of those who were refused, the
   * answers. Requests are prepared: on a machine of two cores, what makes 200 of them would hold up what is measured.
   */
  async signInAll(names) {
    const { hostname, port, pathname } = new URL(this.url)
    const requests = names.map((name) => {
      const body = JSON.stringify({
        query: LOGIN,
        variables: { email: emailOf(this.account, name), password: PASSWORD },
      })
      const head = `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\n`
      return `${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
    })
    const refused = []
    const one = (request) =>
      new Promise((done, fail) => {
        const chunks = []
        const socket = connect(+port, hostname, () => socket.write(request))
        socket.on('data', (chunk) => chunks.push(chunk)).on('error', fail)
        socket.on('end', () => {
          const answer = String(Buffer.concat(chunks))
          if (!answer.includes('"token":"fl_session_')) refused.push(answer)
          done()
        })
      })
    const begin = performance.now()
    await Promise.all(requests.map(one))
    return { ms: performance.now() - begin, refused }
  }

  async ask(body, token) {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const answer = await fetch(this.url, { method: 'POST', headers, body: JSON.stringify(body) })
    const { data, errors } = await answer.json()
    if (errors) throw new Error(JSON.stringify(errors))
    return data
  }

  /** A workload: a query with a credential. */
  query(headers, query, variables = {}) {
    return { method: 'POST', url: this.url, headers, body: JSON.stringify({ query, variables }) }
  }
}

/** The header of a session. */
export const session = (token) => ({ authorization: `Bearer ${token}` })
