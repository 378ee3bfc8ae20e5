#!/usr/bin/env node
// Reads out of the types of the `stripe` package what the local Stripe demands and answers: for each method of
// endpoints.json its HTTP method and path (from the package's code), its parameters and the object that it answers, and
// each of those objects with its fields. TypeScript 7 has no programming interface, so this folder has a TypeScript 5.
//
//   node read.mjs            writes stripe-types.json
//   node read.mjs --stdout   prints it
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript-5'

const here = dirname(fileURLToPath(import.meta.url))
const stripe = join(here, '..', '..', '..', '..', 'node_modules', 'stripe')
const wanted = JSON.parse(readFileSync(join(here, 'endpoints.json'), 'utf8'))

const fileOf = (resource, kind) => join(stripe, 'esm', 'resources', `${resource}.${kind}`)
const program = ts.createProgram(
  Object.keys(wanted).map((resource) => fileOf(resource, 'd.ts')),
  { strict: true, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, types: [] },
)
const checker = program.getTypeChecker()

/** An object of Stripe's: it says what it is in `object`, and others refer to it. */
const objects = {}

/**
 * A type as data: "string", "number", "boolean", "decimal", "any", {is: literal}, {enum: [...], open?}, {array: T}, {map: T},
 * {fields: {name: T}, required: [...]}, {object: name}, {anyOf: [T, ...]}; `nullable` and `emptyable` beside them.
 */
function describe(type, forAnswers) {
  const parts = namedParts(type)
  const has = (test) => parts.some(test)
  const nullable = has((part) => part.flags & ts.TypeFlags.Null)
  const emptyable = !forAnswers && has((part) => part.isStringLiteral() && part.value === '')
  const rest = parts.filter(
    (part) =>
      !(part.flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)) &&
      !(emptyable && part.isStringLiteral() && part.value === ''),
  )
  const described = union(rest, forAnswers)
  const marks = { ...(nullable && forAnswers ? { nullable } : {}), ...(emptyable ? { emptyable } : {}) }
  if (Object.keys(marks).length === 0) return described
  return typeof described === 'string' ? { type: described, ...marks } : { ...described, ...marks }
}

// Of the types of an enum `OtherString` says that Stripe may answer values that it has not now; it takes none.
const isOtherString = (type) => type.isIntersection() && type.types.some((part) => part.flags & ts.TypeFlags.String)

function union(parts, forAnswers) {
  const literals = parts.filter((part) => part.isStringLiteral()).map((part) => part.value)
  const kinds = []
  if (literals.length > 0)
    kinds.push(literals.length === 1 && parts.length === 1 ? { is: literals[0] } : { enum: literals.sort() })
  if (parts.some((part) => part.flags & ts.TypeFlags.BooleanLike)) kinds.push('boolean')
  for (const part of parts) {
    if (part.isStringLiteral() || part.flags & ts.TypeFlags.BooleanLike) continue
    if (isOtherString(part) && literals.length > 0) continue
    kinds.push(one(part, forAnswers))
  }
  const unique = [...new Map(kinds.map((kind) => [JSON.stringify(kind), kind])).values()]
  return unique.length === 1 ? unique[0] : { anyOf: unique }
}

function one(type, forAnswers) {
  if (type.flags & ts.TypeFlags.String || isOtherString(type)) return 'string'
  if (type.flags & ts.TypeFlags.Number) return 'number'
  if (type.isNumberLiteral()) return { is: type.value }
  if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return 'any'
  const name = type.aliasSymbol?.name ?? type.symbol?.name
  if (name === 'Decimal') return 'decimal'
  if (checker.isArrayType(type)) return { array: describe(checker.getTypeArguments(type)[0], forAnswers) }
  if (name === 'ApiList')
    return { list: describe(type.aliasTypeArguments?.[0] ?? checker.getTypeArguments(type)[0], true) }
  const index = type.getStringIndexType()
  if (index) return { map: describe(index, forAnswers) }
  if (!(type.flags & ts.TypeFlags.Object)) throw new Error(`no way to describe ${checker.typeToString(type)}`)
  if (forAnswers && type.getProperty('object')) return { object: define(type) }
  return fieldsOf(type, forAnswers)
}

const namedParts = (type) => (type.isUnion() ? type.types : [type])

function fieldsOf(type, forAnswers) {
  const fields = {}
  const required = []
  for (const property of type.getProperties()) {
    const declared = checker.getTypeOfSymbol(property)
    // `deleted?: void` tells an object from its remains; nothing is ever sent there.
    if (namedParts(declared).every((part) => part.flags & (ts.TypeFlags.Void | ts.TypeFlags.Undefined))) continue
    fields[property.name] = describe(declared, forAnswers)
    if (!(property.flags & ts.SymbolFlags.Optional)) required.push(property.name)
  }
  return { fields, ...(required.length > 0 ? { required } : {}) }
}

/** Objects that no method of ours answers and that nothing but an expansion would bring are known by their name alone. */
const known = new Set()

function define(type) {
  const name = qualifiedName(type.symbol)
  if (!objects[name] && known.has(name)) {
    objects[name] = {}
    Object.assign(objects[name], fieldsOf(type, true))
  }
  return name
}

function qualifiedName(symbol) {
  const parent = symbol.parent
  const within = parent && parent.flags & ts.SymbolFlags.NamespaceModule && !parent.name.startsWith('"')
  return within ? `${qualifiedName(parent)}.${symbol.name}` : symbol.name
}

/** HTTP method and path of each method of a resource, out of the code that the package runs. */
function callsOf(resource) {
  const path = fileOf(resource, 'js')
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  const calls = {}
  const visit = (node, method) => {
    const inside = ts.isMethodDeclaration(node) ? node.name.text : method
    if (ts.isCallExpression(node) && node.expression.name?.text === '_makeRequest') {
      const [verb, route] = node.arguments
      calls[inside] = { verb: verb.text, path: ts.isTemplateExpression(route) ? templateOf(route) : route.text }
    }
    ts.forEachChild(node, (child) => visit(child, inside))
  }
  visit(source)
  return calls
}

const templateOf = (route) =>
  route.head.text +
  route.templateSpans.map((span) => `{${span.expression.arguments[0].text}}${span.literal.text}`).join('')

/** What a method answers: `Promise<Response<Invoice>>`, or a list of them. */
function answerOf(signature) {
  const [outer] = signature.type.typeArguments ?? []
  const kind = signature.type.typeName.text
  if (kind === 'ApiListPromise') return { list: checker.getTypeFromTypeNode(outer) }
  if (kind === 'ApiSearchResultPromise') return { search: checker.getTypeFromTypeNode(outer) }
  return { one: checker.getTypeFromTypeNode(outer.typeArguments[0]) }
}

const methods = []
for (const [resource, names] of Object.entries(wanted)) {
  const source = program.getSourceFile(fileOf(resource, 'd.ts'))
  const declared = source.statements.find(
    (statement) => ts.isClassDeclaration(statement) && statement.name.text.endsWith('Resource'),
  )
  const calls = callsOf(resource)
  for (const name of names) {
    const method = declared.members.filter((member) => member.name?.text === name).at(-1)
    if (!method || !calls[name]) throw new Error(`the stripe package has no ${resource}.${name}`)
    methods.push({ id: `${resource}.${name}`, call: calls[name], method, answer: answerOf(method) })
  }
}

const namesOf = (type) => namedParts(type).map((part) => qualifiedName(part.symbol))
for (const { answer } of methods)
  for (const type of Object.values(answer)) for (const name of namesOf(type)) known.add(name)
// What only comes inside of others.
for (const name of ['InvoiceLineItem', 'Plan']) known.add(name)

const endpoints = {}
for (const { id, call, method, answer } of methods) {
  const params = method.parameters.find((parameter) => parameter.name.text === 'params')
  const [[form, type]] = Object.entries(answer)
  endpoints[id] = {
    ...call,
    params: params ? describe(checker.getTypeFromTypeNode(params.type), false) : { fields: {} },
    // A union such as that of events is told by its first part's name.
    answer: { [form]: namesOf(type).length > 3 ? 'Event' : describe(type, true) },
  }
}

const version = /'(.+)'/.exec(readFileSync(join(stripe, 'esm', 'apiVersion.js'), 'utf8'))[1]
const stripeVersion = JSON.parse(readFileSync(join(stripe, 'package.json'), 'utf8')).version
// One line for each endpoint and object, so that a new version of the package shows what it changes.
const lines = (entries) =>
  Object.entries(entries).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
const block = (entries) => `{\n${lines(entries).join(',\n')}\n }`
const text = `{
 "stripe": ${JSON.stringify(stripeVersion)},
 "apiVersion": ${JSON.stringify(version)},
 "endpoints": ${block(endpoints)},
 "objects": ${block(objects)}
}
`
if (process.argv.includes('--stdout')) process.stdout.write(text)
else writeFileSync(join(here, 'stripe-types.json'), text)
