let told = false

/** Whether a command prints for programs. */
export interface Json {
  json?: boolean
}

/** Prints a result: one JSON object with --json, else lines for people. */
export function print(result: object, { json }: Json, lines: readonly string[]): void {
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : `${lines.join('\n')}\n`)
  told = true
}

/** Prints a failure as the one JSON object on stdout, unless a result stands there already. */
export function printFailure(error: { code: string; message: string }): void {
  if (!told) process.stdout.write(`${JSON.stringify({ error })}\n`)
  told = true
}

/** A table of texts with aligned columns. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]!.length))) ?? []
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}
