import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SERVICE } from '../../shared/service.js'

const FOLDER = fileURLToPath(new URL('../../../docs/guides/', import.meta.url))

interface ErrorRow {
  code: string
  status: number
  meaning: string
  remedy: string
}

/**
 * The guides of docs/guides, in the order of their names, as an OpenAPI document without endpoints: what shows the
 * reference shows them beside it. `<!-- errors: /openapi.json -->` stands for the table of that document's codes.
 */
export function guides(documents: Readonly<Record<string, object>>): object {
  const texts = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => readFileSync(FOLDER + name, 'utf8'))
  const description = texts
    .join('\n')
    .replaceAll(/<!-- errors: (\S+) -->/g, (_, path) =>
      table((documents[path] as { 'x-errors'?: ErrorRow[] })?.['x-errors'] ?? []),
    )
    // Under the page's own address of a heading.
    .replaceAll('](#', '](#guides/description/')
  return { openapi: '3.1.0', info: { title: 'Fairlead guides', version: SERVICE.version, description }, paths: {} }
}

function table(rows: readonly ErrorRow[]): string {
  const lines = rows.map(({ code, status, meaning, remedy }) => `| \`${code}\` | ${status} | ${meaning} | ${remedy} |`)
  return ['| code | status | what happened | what to do |', '|---|---|---|---|', ...lines].join('\n')
}
