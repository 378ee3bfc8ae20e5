import { readFileSync } from 'node:fs'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** What the service says of itself. */
export const SERVICE = {
  message: 'Fairlead external API: this key works.',
  version,
  documentation: '/openapi.json',
}
