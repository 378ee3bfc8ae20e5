import { randomUUID } from 'node:crypto'
import pg from 'pg'

const TEMPLATE = 'fairlead_template'

/** A database of one's own, cloned from the migrated template, or empty. */
export async function createDatabase({ empty = false } = {}): Promise<{ url: string; drop(): Promise<void> }> {
  const adminUrl = process.env.TEST_ADMIN_URL!
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await runStatement(adminUrl, `create database ${name} ${empty ? '' : `template ${TEMPLATE}`}`)
  return { url: at(adminUrl, name), drop: () => runStatement(adminUrl, `drop database if exists ${name} with (force)`) }
}

function at(adminUrl: string, database: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${database}`
  return url.href
}

/** Runs a statement in a database over a connection of its own. */
export async function runStatement(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
