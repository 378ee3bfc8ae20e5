// Compares JSON Schemas as OpenAPI 3.1 has them: what fitted one, does it fit the other?

/** A schema with its references filled in and the parts of its `allOf` made one. */
export function plain(schema, document) {
  if (schema.$ref) {
    const { $ref, ...beside } = schema
    const target = $ref
      .slice(2)
      .split('/')
      .reduce((node, name) => node[name], document)
    return plain({ ...target, ...beside }, document)
  }
  const { allOf = [], ...own } = schema
  return allOf.map((part) => plain(part, document)).reduce(merged, own)
}

function merged(a, b) {
  const properties = { ...a.properties }
  for (const [name, schema] of Object.entries(b.properties ?? {})) {
    properties[name] = properties[name] ? { allOf: [properties[name], schema] } : schema
  }
  const required = [...new Set([...(a.required ?? []), ...(b.required ?? [])])]
  const both = { ...a, ...b }
  if (Object.keys(properties).length > 0) both.properties = properties
  if (required.length > 0) both.required = required
  return both
}

/** By which a value is bounded: which of two limits lets more through. */
const BOUNDS = {
  maximum: (from, to) => to >= from,
  maxLength: (from, to) => to >= from,
  maxItems: (from, to) => to >= from,
  minimum: (from, to) => to <= from,
  minLength: (from, to) => to <= from,
  minItems: (from, to) => to <= from,
}

/**
 * Why some values that fit `from` do not fit `to`, as sentences; none where all do. `given` holds both documents, and
 * whether `from` is the older: a member that the newer lacks is missed by callers either way.
 */
export function misfits(from, to, given, where = '') {
  const a = plain(from, given.fromDocument)
  const b = plain(to, given.toDocument)
  const at = where || 'the value'
  if (a.anyOf || b.anyOf) return alternatives(a, b, given, where)
  const types = lacking(
    typesOf(a),
    typesOf(b),
    (one, other) => one === other || (one === 'integer' && other === 'number'),
  )
  return [
    ...types.map((type) => `${at}: type ${type} does not fit any more`),
    ...choices(a, b, at),
    ...Object.entries(BOUNDS).flatMap(([name, wider]) =>
      b[name] !== undefined && (a[name] === undefined || !wider(a[name], b[name]))
        ? [`${at}: ${name} ${a[name]} → ${b[name]}`]
        : [],
    ),
    ...['pattern', 'format'].flatMap((name) =>
      b[name] !== undefined && a[name] !== b[name] ? [`${at}: ${name} ${a[name]} → ${b[name]}`] : [],
    ),
    ...members(a, b, given, where),
    ...(a.items && b.items ? misfits(a.items, b.items, given, `${where}[]`) : []),
  ]
}

const typesOf = ({ type }) => (type === undefined ? [] : [type].flat())

/** What one list has and the other, unless it allows everything, lacks. */
const lacking = (from, to, same) => (to.length === 0 ? [] : from.filter((one) => !to.some((other) => same(one, other))))

function choices(a, b, at) {
  const valuesOf = ({ enum: values, const: only }) => values ?? (only === undefined ? undefined : [only])
  const [from, to] = [valuesOf(a), valuesOf(b)]
  if (!to) return []
  if (!from) return [`${at}: only ${to.join(', ')} fit now`]
  return from.filter((value) => !to.includes(value)).map((value) => `${at}: ${value} does not fit`)
}

function members(a, b, given, where) {
  const [older, newer] = given.fromIsOlder ? [a, b] : [b, a]
  const gone = Object.keys(older.properties ?? {}).filter((name) => newer.properties && !(name in newer.properties))
  const missing = (b.required ?? []).filter((name) => !(a.required ?? []).includes(name) && !gone.includes(name))
  const common = Object.keys(a.properties ?? {}).filter((name) => b.properties?.[name])
  const path = (name) => (where ? `${where}.${name}` : name)
  return [
    ...gone.map((name) => `${path(name)} is gone`),
    ...missing.map((name) => `${path(name)} ${given.fromIsOlder ? 'must be sent' : 'may be absent'} now`),
    ...(b.additionalProperties === false && a.additionalProperties !== false ? [`${path('*')} is refused`] : []),
    ...common.flatMap((name) => misfits(a.properties[name], b.properties[name], given, path(name))),
  ]
}

/** Each alternative of the one must fit some alternative of the other. */
function alternatives(a, b, given, where) {
  const of = (schema) => schema.anyOf ?? [schema]
  return of(a).flatMap((one) => {
    const tries = of(b).map((other) => misfits(one, other, given, where))
    return tries.some((faults) => faults.length === 0) ? [] : tries.toSorted((x, y) => x.length - y.length)[0]
  })
}
