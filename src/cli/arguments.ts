import { InvalidArgumentError } from 'commander'

/** The words of a list with commas. */
export const commaSeparated = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)

/** A number without sign and fraction. */
export function wholeNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}
