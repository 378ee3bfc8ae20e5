/** Names that differ in what a search passes over, and in what only looks like a pattern. */
export const SEARCHED_NAMES = ['Cliente Quente', 'quente demais', 'Ação', '50% off', 'snake_case', 'back\\slash']

/** What is searched for among them, and what is found, by name. */
export const SEARCHES: [search: string, found: string[]][] = [
  ['quente', ['Cliente Quente', 'quente demais']],
  ['CLIENTE', ['Cliente Quente']],
  ['acao', ['Ação']],
  ['ÇÃO', ['Ação']],
  ['%', ['50% off']],
  ['_', ['snake_case']],
  ['\\', ['back\\slash']],
  ['e d', ['quente demais']],
  ['nothing', []],
  ['', ['50% off', 'Ação', 'back\\slash', 'Cliente Quente', 'quente demais', 'snake_case']],
]
