import { sql } from 'kysely'
import { param, RunAgain, type Scope, Statement } from '../../database/index.js'
import { tellChange } from '../../kit/changes.js'
import type { DeletedRecord } from '../../kit/deleted.js'
import { columnsOf } from '../../kit/reads/index.js'
import type { Selection } from '../../kit/selection.js'
import { below } from '../../kit/selection.js'
import { AppError, notFound } from '../../shared/errors.js'
import { isUuid, newId } from '../../shared/ids.js'
import { looksLikeEmail } from '../../shared/text.js'
import {
  type ContactRow,
  contactLock,
  contactReads,
  createUnmatched,
  duplicateEmail,
  fillEmptyFields,
  matchContact,
  noteInteraction,
  seesContact,
} from '../contacts/index.js'
import { CampaignContact, CampaignContactStatus } from './campaign.entity.js'
import type { CampaignContactInput } from './campaign.inputs.js'
import { type CampaignRow, campaignReads } from './campaign.reads.js'
import { type CampaignContactRow, membershipReads } from './membership.reads.js'

/** A contact that has just come into a campaign. */
export interface AddedContactRows {
  campaignContact: CampaignContactRow
  contact: ContactRow
  campaign: CampaignRow
}

const join = new Statement<CampaignContactRow>(
  sql<CampaignContactRow>`insert into campaign_contact as m (id, account_id, campaign_id, contact_id, status)
    values (${param('id')}, ${param('account')}, ${param('campaignId')}, ${param('contactId')}, ${param('status')})
    on conflict on constraint campaign_contact_once do nothing returning ${columnsOf(CampaignContact, 'm')}`,
  { prepared: true },
)

const standing = new Statement<{ status: string }>(
  sql<{ status: string }>`select m.status from campaign_contact m where m.account_id = ${param('account')}
    and m.campaign_id = ${param('campaignId')} and m.contact_id = ${param('contactId')}`,
  { prepared: true },
)

/**
 * Puts a person into a campaign as approved: the contact with that LinkedIn profile, else with that email, whose empty
 * fields are filled, else a new one. DUPLICATE_ERROR with the present status, and nothing stored, when the contact is in
 * the campaign already.
 */
export function addCampaignContact(
  db: Scope,
  campaignId: string,
  input: CampaignContactInput,
  selection: Selection,
): Promise<AddedContactRows> {
  return db.transaction(async () => {
    const campaign = await campaignReads.find(db, campaignId)
    if (!campaign) throw notFound('campaign')
    const person = withExtracted(input)
    const { id: known, sharesMailbox } = await matchContact(db, person)
    if (known && !(await seesContact(db, known))) throw await duplicateEmail(db, known)
    // The contact before the membership that refers to it: one who deletes it may be waiting in between.
    if (known) contactLock.toChange(db, known)
    const contactId = known ?? (await createUnmatched(db, sharesMailbox ? withoutEmail(db, person) : person))
    const campaignContact = await enter(db, campaign.id, contactId)
    if (known) await fillEmptyFields(db, contactId, person)
    await noteInteraction(db, contactId, campaign.channel ?? null)
    for (const id of [contactId, campaignContact.id]) db.wrote(id)
    const contact = (await contactReads.find(db, contactId, below(selection, 'contact')))!
    return { campaignContact, contact, campaign }
  })
}

const hasDigits = (text: string | null | undefined) => /\d/.test(text ?? '')

/** Where email or phone are missing, or the phone is none, what was found in the profile serves. */
function withExtracted(input: CampaignContactInput): CampaignContactInput {
  const { emails, phones } = input.extractedContacts ?? {}
  const email = input.email || emails?.find((one) => one && looksLikeEmail(one))
  const phone = hasDigits(input.phone) ? input.phone : (phones?.find(hasDigits) ?? input.phone)
  return { ...input, email, phone }
}

/** A person whose address another one has: it is kept among what was found of them. */
function withoutEmail(db: Scope, { email, extractedContacts, ...person }: CampaignContactInput): CampaignContactInput {
  db.warn(
    ['input', 'email'],
    'is the email of a contact with another LinkedIn profile',
    '; it was kept as an extracted one',
  )
  const emails = (extractedContacts?.emails ?? []).filter((one) => one?.toLowerCase() !== email!.toLowerCase())
  return { ...person, extractedContacts: { ...extractedContacts, emails: [email!, ...emails] } }
}

async function enter(db: Scope, campaignId: string, contactId: string): Promise<CampaignContactRow> {
  const status = CampaignContactStatus.APPROVED
  const [entered] = await db.rows(join, { id: newId(), campaignId, contactId, status })
  if (entered) return entered
  const [present] = await db.rows(standing, { campaignId, contactId })
  if (!present) throw new RunAgain('the membership in the way is gone')
  throw new AppError('DUPLICATE_ERROR', 'The contact is in this campaign already.', {
    extra: { existingStatus: present.status },
  })
}

const move = new Statement<{ id: string }>(
  sql<{ id: string }>`update campaign_contact m set status = ${param('status')}
    where m.account_id = ${param('account')} and m.id = ${param('id')} returning m.id`,
)

/** Sets how far a contact is in a campaign. */
export function updateCampaignContact(
  db: Scope,
  id: string,
  status: CampaignContactStatus,
): Promise<CampaignContactRow> {
  return db.transaction(async () => {
    const [moved] = isUuid(id) ? await db.rows(move, { id, status }) : []
    if (!moved) throw notFound('campaign contact')
    db.wrote(moved.id)
    return (await membershipReads.find(db, moved.id))!
  })
}

const leave = new Statement<{ id: string }>(
  sql<{ id: string }>`delete from campaign_contact m
    where m.account_id = ${param('account')} and m.id = ${param('id')} returning m.id`,
)

/** Takes a contact out of a campaign; the contact itself stays. */
export function removeCampaignContact(db: Scope, id: string): Promise<DeletedRecord> {
  return db.transaction(async () => {
    const [gone] = isUuid(id) ? await db.rows(leave, { id }) : []
    if (!gone) throw notFound('campaign contact')
    await tellChange(db, 'campaign_contact', gone.id, 'deleted')
    return { id: gone.id, deleted: true }
  })
}
