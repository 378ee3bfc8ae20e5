import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Seals secrets that are stored, with AES-256-GCM; what is sealed for one record opens for no other. */
export class Cipher {
  /** With a key of 32 bytes, and those that it takes the place of: they still open what they sealed, and seal nothing. */
  constructor(
    private readonly key: Buffer,
    private readonly former: readonly Buffer[] = [],
  ) {}

  /** Whether there are former keys, with which something may still be sealed. */
  get isRotating(): boolean {
    return this.former.length > 0
  }

  /** The sealed form of a text, for the record that it belongs to. */
  seal(text: string, record: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce).setAAD(Buffer.from(record))
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
  }

  /** The text again; throws with other keys, for another record, or when it was tampered with. */
  open(sealed: Buffer, record: string): string {
    for (const key of this.former) {
      try {
        return openWith(key, sealed, record)
      } catch {
        // Then it was sealed with another one of them.
      }
    }
    return openWith(this.key, sealed, record)
  }

  /** The same text sealed with the present key; undefined where it is so already. */
  reseal(sealed: Buffer, record: string): Buffer | undefined {
    try {
      openWith(this.key, sealed, record)
      return undefined
    } catch {
      return this.seal(this.open(sealed, record), record)
    }
  }
}

function openWith(key: Buffer, sealed: Buffer, record: string): string {
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(record))
    .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
}
