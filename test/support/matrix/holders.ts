import type { Word } from './access-table.js'

/** The words of a text. */
export const words = (text: string): string[] => text.split(/\s+/).filter(Boolean)

/** What `*` stands for. */
export const ORDINARY = words(`
  contacts:read contacts:write contacts:delete opportunities:read opportunities:write opportunities:delete
  conversations:read campaigns:read campaigns:write instagram_agents:read instagram_agents:write
  pipelines:read sectors:read tags:read tags:write discard_reasons:read products:read users:read users:write
  reports:read agents:read knowledge:read settings:write keys:write audit:read mail:read mail:write
  flows:read flows:write flows:enroll channels:read`)

/** What a key has only by its own name. */
export const ADMIN_ONLY = words('conversations:write agents:run agent_tools:execute')

/** What no key can be given: the scopes of agencies' tokens. */
export const OF_TOKENS = words('sub_account.create sub_account.channels sub_account.credentials sub_account.delete')

/** What operators alone have. */
export const OF_OPERATORS = words('agencies:read agencies:write')

const SELLER = words(`
  contacts:read contacts:write opportunities:read opportunities:write conversations:read campaigns:read
  pipelines:read sectors:read tags:read discard_reasons:read products:read users:read reports:read mail:read
  flows:read flows:enroll`)

const MANAGER = [
  ...SELLER,
  ...words(`contacts:delete opportunities:delete campaigns:write tags:write
    instagram_agents:read instagram_agents:write agents:read knowledge:read mail:write flows:write channels:read`),
]

/** What people may do, by what they are. */
export const OF_PEOPLE = {
  seller: SELLER,
  manager: MANAGER,
  admin: [...ORDINARY, ...ADMIN_ONLY],
  operator: [...OF_OPERATORS, ...words('audit:read')],
} as const satisfies Record<string, readonly Word[]>
