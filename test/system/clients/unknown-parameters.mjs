// Lists the parameters of a generated client that are `unknown` or `any`, which its user could fill with anything.
// Usage: node unknown-parameters.mjs <file of types> <pattern of the names of types that hold parameters>
import ts from 'typescript'

const [, , file, pattern] = process.argv
const options = { strict: true, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }
const program = ts.createProgram([file], options)
const checker = program.getTypeChecker()
const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)))

const unknown = []
let parameters = 0
for (const symbol of exported) {
  const name = symbol.getName()
  if (new RegExp(pattern).test(name)) look(checker.getDeclaredTypeOfSymbol(symbol), name, new Set())
}
process.stdout.write(JSON.stringify({ parameters, unknown }))

/** Goes into objects, lists and alternatives, but not into what is answered. */
function look(type, path, seen) {
  if (type.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) {
    unknown.push(path)
    return
  }
  if (seen.has(type)) return
  seen.add(type)
  if (type.isUnionOrIntersection()) {
    for (const part of type.types) look(part, path, seen)
  } else if (checker.isArrayType(type)) {
    look(checker.getTypeArguments(type)[0], `${path}[]`, seen)
  } else if (type.flags & ts.TypeFlags.Object) {
    for (const property of checker.getPropertiesOfType(type)) {
      if (property.getName() === 'responses') continue
      parameters++
      look(checker.getTypeOfSymbol(property), `${path}.${property.getName()}`, seen)
    }
  }
}
