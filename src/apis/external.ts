import { fileURLToPath } from 'node:url'
import type { Api } from '../rest/index.js'

/** The API that an account's integrations call, with a key of the account. */
export const EXTERNAL: Api = {
  name: 'external',
  base: '/external/v1',
  operations: fileURLToPath(new URL('../../schema/operations/external', import.meta.url)),
  success: { success: true },
  failure: { success: false },
  renamed: {},
  challenge: 'Bearer realm="fairlead"',
  admissionErrors: ['MISSING_API_KEY', 'INVALID_API_KEY', 'RATE_LIMIT_EXCEEDED'],
  shows: {
    CreateContact: ['Contact', 'Tag'],
    ListContacts: ['Tag'],
    GetContact: ['Tag'],
    UpdateContact: ['Contact', 'Tag'],
    AddContactTags: ['Tag'],
    AddCampaignContact: [
      'CampaignContact',
      'Contact.id',
      'Contact.name',
      'Contact.linkedinProfileUrl',
      'Campaign.id',
      'Campaign.name',
    ],
    AddInstagramProfile: [
      'InstagramProfile',
      'InstagramAgent.id',
      'InstagramAgent.name',
      'InstagramAgent.totalProfilesFound',
    ],
    CreateOpportunity: ['Opportunity'],
    UpdateOpportunity: ['Opportunity', 'OpportunityProduct', 'OpportunityComment'],
    SendMessage: ['Message'],
    AddConversationNote: ['ConversationNote'],
    TakeOverConversation: ['Conversation'],
    HandBackConversation: ['Conversation'],
    MoveOpportunity: ['Opportunity', 'OpportunityProduct', 'OpportunityComment', 'StageChange', 'StageReference'],
  },
  document: {
    path: '/openapi.json',
    title: 'Fairlead external API',
    description:
      'Reads and writes the contacts and the sales record of an account. Every call carries an API key of the account.\n\n' +
      '**Lists.** Every list has `next_cursor` in its `pagination`, null on the last page. Sent back as `cursor`, with the ' +
      'same filters and order, it brings what comes after the last record of its page, whatever came and went before ' +
      'that. `page` is counted on then, and `total` is that of the page where you began, raised when more comes to ' +
      'light.\n\n' +
      '**Keeping a copy.** Ask with `updated_after`, `sort_by=updated_at` and `sort_order=asc` (conversations: or with ' +
      '`last_message_after` alone). Then nothing is lost, whatever is changed or deleted while you read: follow ' +
      '`next_cursor`; or ask for page after page, each of which begins where the one before it ended for your key, so ' +
      'that a record may come twice; or ask again from the last `updated_at` seen. The bound is inclusive: begin the ' +
      'next time at the last value seen. A change may come a moment late while an older one is still being written. ' +
      'Renamed labels and kept counts are no change of a record.',
    info: { license: { name: 'MIT', identifier: 'MIT' }, contact: { name: 'Fairlead' } },
    securitySchemes: {
      apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The recommended way.' },
      bearer: { type: 'http', scheme: 'bearer', description: 'The API key as a Bearer token.' },
      apiKeyQuery: {
        type: 'apiKey',
        in: 'query',
        name: 'api_key',
        description: 'Servers on the way may log addresses, and the key with them: prefer a header.',
      },
    },
    callerHeaders: {
      'X-RateLimit-Limit': header('Requests that the key may make in an hour.', 1000),
      'X-RateLimit-Remaining': header('Requests left in the running hour.', 999),
      'X-RateLimit-Reset': header('Unix timestamp at which the hour ends.', 1_790_000_000),
    },
  },
}

function header(description: string, example: number) {
  return { description, required: true, schema: { type: 'integer' }, example }
}
