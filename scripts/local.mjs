import { existsSync } from 'node:fs'
// What the local services of test/support have in common when they are started alone.
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { InvalidArgumentError } from 'commander'

// Node.js runs TypeScript as it is, but for the names of files: sources import `.js`, which is what the build makes of them.
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('.') && specifier.endsWith('.js')) {
      const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL)
      if (existsSync(fileURLToPath(source))) return next(source.href, context)
    }
    return next(specifier, context)
  },
})

/** A whole number of the command line. */
export function number(text) {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('must be a whole number')
  return Number(text)
}

/** Ends the service, and then the process, when that is told to end. */
export function untilStopped(service, before = () => {}) {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, async () => {
      before()
      await service.stop().catch((error) => process.stderr.write(`${error.message}\n`))
      process.exit(0)
    })
  }
}
