import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const src = fileURLToPath(new URL('../../src', import.meta.url))

/** A source file: its path below src, and the files that it imports, be it only for types. */
export interface SourceFile {
  path: string
  text: string
  imports: string[]
}

/** Every source file of the program. */
export function sourceFiles(): SourceFile[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((path) => {
      const text = readFileSync(join(src, path), 'utf8')
      return { path, text, imports: importsOf(path, text) }
    })
}

/** The files that a text imports in whatever way: runtime, type, re-export or at run time. */
export function importsOf(path: string, text: string): string[] {
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
  return [...found].map((match) => relative(src, resolve(src, dirname(path), match[1]!)).replace(/\.js$/, '.ts'))
}

/** The folders of domains. */
export const domainFolders = (): string[] => readdirSync(join(src, 'domains')).filter((name) => !name.endsWith('.ts'))
