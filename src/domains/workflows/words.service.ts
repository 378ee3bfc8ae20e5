/** The words of a text without case and accents, with one space before, between and after them. */
export const wordsOf = (text: string): string => {
  const folded = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return ` ${folded.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim()} `
}

/** Whether words stand in a text, in a row and whole. */
export function says(text: string, words: string): boolean {
  const wanted = wordsOf(words)
  return wanted.trim() !== '' && wordsOf(text).includes(wanted)
}

/** The words of a text in runs of so many, each beginning with another word. */
export function runsOf(text: string, length: number): string[] {
  const words = wordsOf(text).trim().split(' ')
  return words.slice(0, Math.max(0, words.length - length + 1)).map((_, i) => words.slice(i, i + length).join(' '))
}
