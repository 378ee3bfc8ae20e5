/** Tokens of a model that one answer takes in any case: with a smaller budget for a day nothing would ever be asked. */
export const LEAST_TOKENS = 20_000
