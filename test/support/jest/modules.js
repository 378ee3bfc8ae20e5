// How a worker's Node.js reads our TypeScript: through Jest's transformer, with its cache on disk.
import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

const GLOBALS = 'jest-globals:'
const CAN = {
  supportsStaticESM: true,
  supportsDynamicImport: true,
  supportsExportNamespaceFrom: true,
  supportsTopLevelAwait: true,
}

/** Where the source map of each loaded module lies, by the module's URL. */
export const sourceMaps = new Map()

let transformer
let jestObject

/** Tells which test file is next: its transformer, and what `jest` is in it. */
export function setCurrent(current) {
  transformer = current.transformer
  jestObject = current.jest
}

/** `jest` of the test file that runs now. */
globalThis[Symbol.for('fairlead.jest')] = new Proxy({}, { get: (_, name) => jestObject[name] })

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: GLOBALS, format: 'module', shortCircuit: true }
    if (specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL?.endsWith('.ts')) {
      const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL)
      if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true }
    }
    return next(specifier, context)
  },
  load(url, context, next) {
    if (url === GLOBALS) {
      const source = "export const jest = globalThis[Symbol.for('fairlead.jest')]"
      return { format: 'module', source, shortCircuit: true }
    }
    if (!url.endsWith('.ts') || url.includes('/node_modules/')) return next(url, context)
    const { code, sourceMapPath } = transformer.transform(fileURLToPath(url), CAN)
    if (sourceMapPath) sourceMaps.set(url, sourceMapPath)
    return { format: 'module', source: code, shortCircuit: true }
  },
})
