// For the command line of MikroORM (migration:create, migration:check). It works on the built code, since the entities'
// decorators need a compiler: run `npm run build` first, as the npm scripts do.
import 'reflect-metadata'

const { ormOptions } = await import(new URL('./dist/database/options.js', import.meta.url).href)
const { assembly } = await import(new URL('./dist/assembly.js', import.meta.url).href)

export default { ...ormOptions(assembly.entities), dbName: 'fairlead' }
