import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { oneAtATime, param, rowLock, type Scope, Statement, violates } from '../../database/index.js'
import type { Checked } from '../../integrations/channels/index.js'
import { tellChange, tellUpdate } from '../../kit/changes.js'
import { cipher } from '../../kit/cipher.js'
import { holderOf } from '../../kit/hold.js'
import { AppError, errorKinds } from '../../shared/errors.js'
import { given } from '../../shared/given.js'
import { newId } from '../../shared/ids.js'
import { ChannelAccount, ChannelAccountStatus } from './channel-account.entity.js'
import type { ConnectChannelInput, UpdateChannelAccountInput } from './channel-account.inputs.js'
import { channelAccountReads } from './channel-account.reads.js'
import { messagingChannels } from './needs.service.js'

/** Why a number or profile cannot be connected. */
export const CHANNEL_ERRORS = errorKinds({
  CHANNEL_LIMIT: {
    status: 409,
    meaning: 'The account has as many connected channel accounts of the kind as its agency has given it seats.',
    remedy: 'Disconnect one, or have the agency raise the seats.',
  },
  CHANNEL_REFUSED: {
    status: 409,
    meaning: 'The provider does not let the token open the number or profile.',
    remedy: 'Look at the id and the token, and make a new token where it has expired.',
  },
  CHANNEL_UNREACHABLE: {
    status: 503,
    meaning: 'The provider could not be asked whether the token opens the number or profile.',
    remedy: 'Try again later.',
  },
})

interface Standing {
  connected: number
  limit: number | null
  own: string | null
  isConnected: boolean
}

const standing = new Statement<Standing>(
  sql<Standing>`select count(*) filter (where status = 'connected')::int as connected,
      channel_limit(${param('account')}, ${param('kind')}) as "limit",
      (min(id::text) filter (where external_id = ${param('externalId')})) as own,
      coalesce(bool_or(status = 'connected') filter (where external_id = ${param('externalId')}), false) as "isConnected"
    from channel_account where account_id = ${param('account')} and kind = ${param('kind')}`,
)

/**
 * Connects a number or profile, or gives one that is connected another token. The provider is asked first, outside of any
 * transaction; CHANNEL_LIMIT when a sub-account has no seat left, DUPLICATE_ERROR when another account has it.
 */
export async function connectChannel(db: Scope, input: ConnectChannelInput): Promise<ChannelAccount> {
  const { kind, externalId, token, name } = input
  const checked = await db.get(messagingChannels)[kind].check({ kind, numberId: externalId, token })
  if (checked.outcome === 'later')
    throw new AppError(CHANNEL_ERRORS.CHANNEL_UNREACHABLE, `It could not be asked: ${checked.reason}`)
  if (checked.outcome === 'refused')
    throw new AppError(CHANNEL_ERRORS.CHANNEL_REFUSED, `It was refused: ${checked.reason}`)
  try {
    return await db.unitOfWork(async (em) => {
      oneAtATime(db, 'channel_account')
      const { connected, limit, own, isConnected } = (await db.rows(standing, { kind, externalId }))[0]!
      if (limit !== null && connected - (isConnected ? 1 : 0) >= limit) {
        const message = `This account may have ${limit} connected channel accounts of ${kind}, and has ${connected}.`
        throw new AppError(CHANNEL_ERRORS.CHANNEL_LIMIT, message)
      }
      const id = own ?? newId()
      const fields = { ...fieldsOf(db, id, token, checked), ...(name && { name }) }
      return own
        ? reconnect(em, db, own, fields)
        : create(em, db, { id, kind, externalId, name: nameOf(checked, externalId), ...fields })
    })
  } catch (error) {
    if (!violates(error, 'channel_account_connected_key')) throw error
    throw new AppError('DUPLICATE_ERROR', 'Another account has this number or profile connected.', {
      faults: [{ path: ['input', 'externalId'], message: 'another account has it connected' }],
    })
  }
}

type Connected = Extract<Checked, { outcome: 'connected' }>

const nameOf = ({ name, address }: Connected, externalId: string) => (name ?? address ?? externalId).slice(0, 255)

function fieldsOf(db: Scope, id: string, token: string, { address, portfolioId }: Connected) {
  return {
    address: address ?? null,
    portfolioId: portfolioId ?? null,
    status: ChannelAccountStatus.CONNECTED,
    credentials: db.get(cipher).get().seal(token, id),
    connectedAt: new Date(),
    disconnectedAt: null,
  }
}

async function create(
  em: EntityManager,
  db: Scope,
  fields: Omit<Parameters<typeof em.create<ChannelAccount>>[1], 'accountId'>,
) {
  const made = em.create(ChannelAccount, { ...fields, accountId: db.accountId } as never)
  await em.flush()
  await tellChange(db, 'channel_account', made.id, 'created')
  return stored(db, made.id)
}

async function reconnect(
  em: EntityManager,
  db: Scope,
  id: string,
  fields: Partial<ChannelAccount>,
): Promise<ChannelAccount> {
  const account = await hold(em, db, id)
  Object.assign(account, fields)
  await tellUpdate(db, em, 'channel_account', account)
  await em.flush()
  return stored(db, id)
}

/** Changes the given fields of a channel account. */
export function updateChannelAccount(db: Scope, id: string, input: UpdateChannelAccountInput): Promise<ChannelAccount> {
  return db.unitOfWork(async (em) => {
    const account = await hold(em, db, id)
    Object.assign(account, given(input))
    await tellUpdate(db, em, 'channel_account', account)
    await em.flush()
    return stored(db, account.id)
  })
}

/** Disconnects a channel account: its token is forgotten, its seat is free, and what waits to go through it fails. */
export function disconnectChannel(db: Scope, id: string): Promise<ChannelAccount> {
  return db.unitOfWork(async (em) => {
    const account = await hold(em, db, id)
    if (account.status === ChannelAccountStatus.CONNECTED) {
      Object.assign(account, {
        status: ChannelAccountStatus.DISCONNECTED,
        credentials: null,
        disconnectedAt: new Date(),
      })
      await tellUpdate(db, em, 'channel_account', account)
      await em.flush()
    }
    return stored(db, account.id)
  })
}

const hold = holderOf({ entity: ChannelAccount, lock: rowLock('channel_account'), what: 'channel account' })

async function stored(db: Scope, id: string): Promise<ChannelAccount> {
  db.wrote(id)
  return (await channelAccountReads.find(db, id))!
}
