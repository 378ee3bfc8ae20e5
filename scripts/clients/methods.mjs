// The class with a method for each endpoint of an API, and iterators for its lists.
import { operationsOf } from './operations.mjs'
import { comment, typeOf } from './types.mjs'

/** The source of an API's class; the parameter that each path begins with, if there is one, is the class's own. */
export function methods(api, document, note) {
  const operations = operationsOf(document)
  const owner = sharedParameter(operations)
  const used = new Set()
  const bodies = operations.map((operation) => methodsOf(operation, owner, used).join('\n')).join('\n')
  const Class = `${api[0].toUpperCase()}${api.slice(1)}Api`
  const helpers = ['changes', 'records'].filter((name) => used.has(name))
  const lists = helpers.length > 0 ? `import { type Changes, ${helpers.join(', ')} } from '../lists.js'\n` : ''
  const types = [...used].filter((name) => /^[A-Z]/.test(name)).sort()
  return (
    `${note}import { type CallOptions, segment } from '../call.js'\n${lists}` +
    `import type { Answer, Transport } from '../transport.js'\n` +
    `import type {\n${types.map((name) => `  ${name},\n`).join('')}} from './${api}-types.js'\n\n` +
    `/** Where the API is, below the address of the server. */\nexport const BASE = '${document.servers[0].url}'\n\n` +
    `${comment(`${document.info.title}: a method for each endpoint.`)}export class ${Class} {\n` +
    `  readonly #transport: Transport\n${owner ? '  readonly #owner: string\n' : ''}\n` +
    `  constructor(transport: Transport${owner ? ', owner: string' : ''}) {\n` +
    `    this.#transport = transport\n${owner ? '    this.#owner = owner\n' : ''}  }\n\n${bodies}}\n`
  )
}

function sharedParameter(operations) {
  const [first] = operations[0].pathParameters
  const isShared = first && operations.every(({ path }) => path.startsWith(`/{${first.name}}/`))
  return isShared ? first.name : undefined
}

function methodsOf(operation, owner, used) {
  const made = [method(operation, owner, used)]
  if (operation.items) made.push(all(operation, used))
  const sorts = operation.query.find(({ name }) => name === 'sort_by')?.schema.enum
  if (sorts?.includes('updated_at')) made.push(changed(operation, used))
  return made
}

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())
const pathArguments = ({ pathParameters }, owner) =>
  pathParameters.filter(({ name }) => name !== owner).map(({ name }) => ({ name: camel(name), type: 'string' }))
const signature = (parameters) =>
  parameters.map(({ name, type, initial }) => `${name}: ${type}${initial ? ` = ${initial}` : ''}`).join(', ')

/** The method that calls an endpoint: its path parameters, its body, its query, and what may be said about the call. */
function method(operation, owner, used) {
  const { id, name, path, body, query, answers, keyed } = operation
  const parameters = pathArguments(operation, owner)
  const call = [`method: '${operation.method}'`, `path: ${pathOf(path, owner)}`]
  if (body) {
    parameters.push({ name: 'body', type: used_(used, body.type), initial: body.required ? undefined : '{}' })
    call.push('body')
  }
  if (query.length > 0) {
    const needed = query.some(({ required }) => required)
    parameters.push({ name: 'query', type: used_(used, `${name}Query`), initial: needed ? undefined : '{}' })
    call.push('query')
  }
  if (keyed) call.push('keyed: true')
  parameters.push({ name: 'options', type: 'CallOptions', initial: '{}' })
  const answer = answers.map(([type]) => used_(used, type)).join(' | ')
  return (
    `${comment(operation.operation.description, '  ')}  ${id}(${signature(parameters)}): Promise<Answer<${answer}>> {\n` +
    `    return this.#transport.call({ ${call.join(', ')} }, options)\n  }\n`
  )
}

function used_(used, name) {
  used.add(name)
  return name
}

function pathOf(path, owner) {
  if (!path.includes('{')) return `'${path}'`
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    name === owner ? `\${this.#owner}` : `\${segment(${camel(name)})}`,
  )
  return `\`${filled}\``
}

/** The iterator over all records of a list. */
function all(operation, used) {
  used.add('records')
  const { id, name, items } = operation
  const type = used_(used, typeOf(items))
  const path = pathArguments(operation)
  const rest = `Omit<${name}Query, 'page' | 'cursor' | 'limit'>`
  const parameters = [...path, { name: 'query', type: rest, initial: '{}' }, OPTIONS]
  const given = [...path.map(({ name }) => name), '{ ...query, ...place }', 'options'].join(', ')
  return (
    `${comment(`All that \`${id}\` lists, page after page as you go on: it follows the cursors.`, '  ')}` +
    `  ${id.replace(/^list/, 'all')}(${signature(parameters)}): AsyncGenerator<${type}> {\n` +
    `    return records((place) => this.${id}(${given}))\n  }\n`
  )
}

const OPTIONS = { name: 'options', type: 'CallOptions', initial: '{}' }

/** The iterator over what changed since the last time. */
function changed(operation, used) {
  used.add('changes')
  const { id, name, items } = operation
  const type = used_(used, typeOf(items))
  const ordered = "'page' | 'cursor' | 'limit' | 'sort_by' | 'sort_order'"
  const parameters = [{ name: 'query', type: `Omit<${name}Query, ${ordered}>`, initial: '{}' }, OPTIONS]
  const about =
    'What changed since `updated_after`, oldest first, page after page; without it, everything. Keep the `bookmark` of a page\n' +
    'once its records are stored, and give it as `updated_after` the next time: nothing is missed then, whatever is written\n' +
    'meanwhile, and the last records come again. What is deleted no longer comes; nothing tells of it.'
  return (
    `${comment(about, '  ')}  ${id.replace(/^list/, 'changed')}(${signature(parameters)}): AsyncGenerator<Changes<${type}>> {\n` +
    `    return changes(query.updated_after, (order) => this.${id}({ ...query, ...order }, options))\n  }\n`
  )
}
