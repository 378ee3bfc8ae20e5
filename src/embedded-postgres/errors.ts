/** An embedded PostgreSQL that cannot be had; the message says why, in a sentence and what the server itself said. */
export class EmbeddedPostgresError extends Error {
  override readonly name: string = 'EmbeddedPostgresError'
}

/** A data folder that cannot be used: it is no folder, is closed to this account, or has no space left. */
export class DataFolderError extends EmbeddedPostgresError {
  override readonly name = 'DataFolderError'
}

const NO_SPACE = /No space left on device|Disk quota exceeded/

/** Makes the error for what a program of PostgreSQL did not do, with what it printed. */
export function embeddedError(problem: string, detail = ''): EmbeddedPostgresError {
  const indented = detail.trim().replace(/^/gm, '  ')
  const text = `Embedded PostgreSQL: ${problem}.`
  const full = NO_SPACE.exec(detail)
  if (full) return new DataFolderError(`${text} ${full[0]}.`)
  return new EmbeddedPostgresError(indented === '' ? text : `${text}\n${indented}`)
}
