/** Makes the error for an embedded database that cannot be had, always naming the way out. */
export function embeddedError(problem: string, detail = ''): Error {
  const indented = detail.trim().replace(/^/gm, '  ')
  const text = `Embedded PostgreSQL: ${problem}. Set DATABASE_URL to use a PostgreSQL server of your own.`
  return new Error(detail.trim() === '' ? text : `${text}\n${indented}`)
}
