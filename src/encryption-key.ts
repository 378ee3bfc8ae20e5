import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.js'
import { Cipher } from './shared/cipher.js'

/** What seals stored secrets: with ENCRYPTION_KEY, else with a key of the data folder, made when it is first needed. */
export function openCipher({ encryptionKey, formerEncryptionKeys, dataDir }: Config): { get(): Cipher } {
  let cipher: Cipher | undefined
  return {
    get: () => {
      cipher ??= new Cipher(encryptionKey ?? keyOf(dataDir), formerEncryptionKeys)
      return cipher
    },
  }
}

function keyOf(dataDir: string): Buffer {
  const file = join(dataDir, 'encryption.key')
  mkdirSync(dataDir, { recursive: true })
  try {
    writeFileSync(file, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return Buffer.from(readFileSync(file, 'utf8').trim(), 'hex')
}
