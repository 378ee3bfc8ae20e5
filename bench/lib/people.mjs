import { execFileSync } from 'node:child_process'
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
