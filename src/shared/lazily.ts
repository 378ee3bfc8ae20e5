import { createRequire } from 'node:module'

const load = createRequire(import.meta.url)

/**
 * A package that is loaded when it is first used. For large ones that not every process needs: what is loaded stays in
 * memory, where bench/README.md has how much that was.
 */
export function lazily<Package>(name: string): () => Package {
  let loaded: Package | undefined
  return () => {
    loaded ??= load(name) as Package
    return loaded
  }
}
