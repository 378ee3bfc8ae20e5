import { type Fault, invalid } from '../../shared/errors.js'

const MAX_INT = 2_147_483_647

/** Figures of an input that are to be checked; those that are absent or null are not. */
export interface Figures {
  probability?: number | null
  score?: number | null
}

/** VALIDATION_ERROR for each figure that is out of bounds. */
export function checkFigures({ probability, score }: Figures): void {
  const faults: Fault[] = []
  const demand = (name: string, holds: boolean, message: string) => {
    if (!holds) faults.push({ path: ['input', name], message })
  }
  demand('probability', isAbsent(probability) || (probability >= 0 && probability <= 100), 'must be from 0 to 100')
  demand('score', isAbsent(score) || Math.abs(Math.round(score)) <= MAX_INT, `must be from -${MAX_INT} to ${MAX_INT}`)
  if (faults.length > 0) throw invalid(faults)
}

const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined
