import { Scope } from '../../src/database/index.js'
import { cipher } from '../../src/kit/cipher.js'
import { resealColumn } from '../../src/kit/reseal.js'
import { Cipher } from '../../src/shared/cipher.js'
import { startTestApp } from '../support/app.js'
import { makeChannelAccount } from '../support/factories/channels.js'
import { makeTenant } from '../support/factories.js'

const [OLD, NEW] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]

test('a former key opens what it sealed until that is sealed anew, and then the new key alone does', async () => {
  const before = await startTestApp({ encryptionKey: OLD })
  const after = await startTestApp(
    { encryptionKey: NEW, formerEncryptionKeys: [Buffer.alloc(32, 3), OLD] },
    undefined,
    before,
  )
  try {
    const { database } = after
    const { accountId } = await makeTenant(before)
    const { id } = await makeChannelAccount(before.database, accountId, { token: 'secret' })
    const other = await makeChannelAccount(database, accountId, { token: 'newer' })
    const sealed = async (of: string): Promise<Buffer> =>
      (await database.pool.query('select credentials from channel_account where id = $1', [of])).rows[0].credentials
    const opened = async (of: string) =>
      Scope.ofSystem(database, accountId)
        .get(cipher)
        .get()
        .open(await sealed(of), of)
    const newer = await sealed(other.id)
    expect(await opened(id)).toBe('secret')
    expect(() => new Cipher(NEW).open(newer, id)).toThrow()
    expect(await resealColumn(database, 'channel_account', 'credentials')).toBe(1)
    expect(new Cipher(NEW).open(await sealed(id), id)).toBe('secret')
    expect(await sealed(other.id)).toEqual(newer)
    expect(await resealColumn(database, 'channel_account', 'credentials')).toBe(0)
    expect(await resealColumn(before.database, 'channel_account', 'credentials')).toBe(0)
  } finally {
    await after.stop()
    await before.stop()
  }
})
