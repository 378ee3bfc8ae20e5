import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { embeddedError } from './errors.js'
import { giveToOwnerOf } from './runner.js'

const ITERATIONS = 4096

/** Reads the superuser's password of a data folder; makes one for a cluster that is yet to be made. */
export async function readOrMakePassword(dataDir: string, fresh: boolean): Promise<string> {
  const file = join(dataDir, 'postgres.password')
  const known = (await readFile(file, 'utf8').catch(() => '')).trim()
  if (known !== '') return known
  if (!fresh) throw embeddedError(`the password file ${file} of the database in ${dataDir} is missing`)
  const password = randomBytes(24).toString('hex')
  const staging = `${file}.new-${process.pid}`
  await writeFile(staging, `${password}\n`, { mode: 0o600 })
  await giveToOwnerOf(dataDir, staging)
  await rename(staging, file)
  return password
}

/** What PostgreSQL keeps of a password (RFC 5803): it tells the right one, and nobody can log in with it. */
export function scramVerifier(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256')
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest()
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  const serverKey = keyOf('Server Key').toString('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}
