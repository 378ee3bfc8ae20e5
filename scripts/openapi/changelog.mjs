/** The operations that the version at the top of a changelog names as broken: what stands in backquotes below "### Breaking". */
export function namedAsBreaking(changelog) {
  const [, version = ''] = changelog.split(/^## /m)
  const section = version.split(/^### /m).find((part) => part.startsWith('Breaking\n')) ?? ''
  return [...section.matchAll(/`((?:[A-Z]+ \/[^`]*)|\*)`/g)].map(([, operation]) => operation)
}
