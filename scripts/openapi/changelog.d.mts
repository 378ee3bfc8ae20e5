/** The operations that the version at the top of a changelog names as broken. */
export function namedAsBreaking(changelog: string): string[]
