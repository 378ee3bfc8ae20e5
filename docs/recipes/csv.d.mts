/** The rows of a CSV text as objects by the names in its first line. */
export function rowsOf(text: string): Record<string, string>[]
