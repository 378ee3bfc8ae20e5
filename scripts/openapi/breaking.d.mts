/** What breaks callers between two versions of an OpenAPI document. */
export function breakingChanges(before: object, after: object): { operation: string; text: string }[]
