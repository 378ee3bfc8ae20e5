interface Node<T> {
  literals: Map<string, Node<T>>
  parameter?: Node<T>
  /** For each method the target and the names that the path gives its parameters. */
  methods: Map<string, T>
  names: Map<T, string[]>
}

const newNode = <T>(): Node<T> => ({ literals: new Map(), methods: new Map(), names: new Map() })

/** Finds endpoints by path, one segment at a time; a literal segment goes before a parameter. */
export class Router<T> {
  private readonly root = newNode<T>()

  add(method: string, path: string, target: T): void {
    let node = this.root
    const names: string[] = []
    for (const segment of path.split('/').filter(Boolean)) {
      if (segment.startsWith(':')) {
        names.push(segment.slice(1))
        node.parameter ??= newNode()
        node = node.parameter
      } else {
        const next = node.literals.get(segment) ?? newNode<T>()
        node.literals.set(segment, next)
        node = next
      }
    }
    node.methods.set(method, target)
    node.names.set(target, names)
  }

  /** The path is still percent-encoded; one trailing slash is ignored. Undefined where nothing is mounted. */
  match(path: string): { methods: ReadonlyMap<string, T>; paramsOf(target: T): Record<string, string> } | undefined {
    const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length
    const segments = end <= 1 ? [] : path.slice(1, end).split('/')
    const values: string[] = []
    const node = this.find(this.root, segments, 0, values)
    if (!node) return undefined
    return {
      methods: node.methods,
      paramsOf: (target) => Object.fromEntries((node.names.get(target) ?? []).map((name, i) => [name, values[i]!])),
    }
  }

  private find(node: Node<T>, segments: string[], at: number, values: string[]): Node<T> | undefined {
    if (at === segments.length) return node.methods.size > 0 ? node : undefined
    const segment = segments[at]!
    const literal = node.literals.get(segment)
    const found = literal && this.find(literal, segments, at + 1, values)
    if (found || !node.parameter || segment === '') return found
    const value = decode(segment)
    if (value === undefined) return undefined
    values.push(value)
    const below = this.find(node.parameter, segments, at + 1, values)
    if (!below) values.pop()
    return below
  }
}

function decode(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
