import 'reflect-metadata'
import { readFileSync } from 'node:fs'
import { isInputObjectType, isInterfaceType, isObjectType, isSpecifiedScalarType } from 'graphql'
import { assembly } from '../src/assembly.js'
import { createSchema } from '../src/graphql/index.js'
import { domainFolders, sourceFiles } from './architecture/sources.js'

const files = sourceFiles()

/** Each layer may import itself and those to its left. */
const LAYERS = ['shared', 'database', 'integrations', 'kit', 'domains', 'graphql', 'rest', 'http', 'apis']
const layerOf = (path: string) => path.split('/')[0]!

describe('import rules', () => {
  test('layers import only what lies below them', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter(
          (target) => LAYERS.includes(layerOf(path)) && LAYERS.indexOf(layerOf(target)) > LAYERS.indexOf(layerOf(path)),
        )
        .map((target) => `${path} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('layers import nothing of the program around them', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter((target) => LAYERS.includes(layerOf(path)) && !LAYERS.includes(layerOf(target)))
        .map((target) => `${path} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('a domain reaches another only through its index; entities may name each other', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter((target) => layerOf(target) === 'domains' && target.split('/').length > 2)
        .filter((target) => path.split('/').slice(0, 2).join('/') !== target.split('/').slice(0, 2).join('/'))
        .filter((target) => !/\/(index|[\w-]+\.entity)\.ts$/.test(target))
        .map((target) => `${path} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('shared needs neither GraphQL nor a domain', () => {
    const wrong = files.filter(
      ({ path, text }) =>
        layerOf(path) === 'shared' && /from '(type-graphql|graphql[\w-]*|@mikro-orm[^']*|kysely)'/.test(text),
    )
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  test('the embedded PostgreSQL knows nothing of the product, which knows only its index', () => {
    const embedded = (path: string) => layerOf(path) === 'embedded-postgres'
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter((target) => embedded(path) !== embedded(target))
        .filter((target) => embedded(path) || target !== 'embedded-postgres/index.ts')
        .map((target) => `${path} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('the database layer is reached through its index', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter((target) => layerOf(target) === 'database' && layerOf(path) !== 'database')
        .filter((target) => target !== 'database/index.ts')
        .map((target) => `${path} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('only config.ts reads the environment', () => {
    const wrong = files.filter(({ path, text }) => path !== 'config.ts' && /process\.env\b/.test(text))
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  test('rest holds no domain name', () => {
    const names = domainFolders()
    const words = new RegExp(`\\b(${names.join('|')}|${names.map((n) => n.replace(/s$/, '')).join('|')})\\b`, 'i')
    const wrong = files.filter(({ path, imports, text }) => {
      const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
      return layerOf(path) === 'rest' && (imports.some((i) => layerOf(i) === 'domains') || words.test(code))
    })
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  test('resolvers touch no SQL', () => {
    const wrong = files.filter(
      ({ path, text }) => path.endsWith('.resolver.ts') && /from '(kysely|pg|@mikro-orm)/.test(text),
    )
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  test('a file of a domain says by its suffix what it holds, out of the list in CONTRIBUTING.md', () => {
    const guide = readFileSync(new URL('../CONTRIBUTING.md', import.meta.url), 'utf8')
    const suffixes = [...guide.matchAll(/^\| `(\w+)` +\| (?=[a-z])/gm)].map(([, suffix]) => suffix!)
    expect(suffixes).toContain('service')
    const wellNamed = new RegExp(
      `^domains/([\\w-]+/(index|[a-z-]+\\.(${suffixes.join('|')})|demo/[a-z-]+)|index)\\.ts$`,
    )
    const wrong = files.filter(({ path }) => layerOf(path) === 'domains' && !wellNamed.test(path))
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  test('no file is longer than 300 lines', () => {
    const long = files.filter(({ text }) => text.split('\n').length > 300).map(({ path }) => path)
    expect(long).toEqual([])
  })
})

test('every type, field and argument of the schema has a description', () => {
  const missing: string[] = []
  for (const type of Object.values(createSchema(assembly).getTypeMap())) {
    if (type.name.startsWith('__') || isSpecifiedScalarType(type) || ['Query', 'Mutation'].includes(type.name)) continue
    if (!type.description) missing.push(type.name)
  }
  for (const type of Object.values(createSchema(assembly).getTypeMap())) {
    if (type.name.startsWith('__') || !(isObjectType(type) || isInputObjectType(type) || isInterfaceType(type)))
      continue
    for (const field of Object.values(type.getFields())) {
      if (!field.description) missing.push(`${type.name}.${field.name}`)
      for (const arg of 'args' in field ? field.args : []) {
        if (!arg.description) missing.push(`${type.name}.${field.name}(${arg.name})`)
      }
    }
  }
  expect(missing).toEqual([])
})
