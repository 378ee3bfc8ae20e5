/**
 * A total that is kept instead of counted: of the rows of a table, for each account and each combination of dimensions,
 * how many there are and what some of their values add up to. It is exact at every moment, since the triggers write the
 * differences in the transaction that makes them.
 */
export interface Tally {
  /** Also the name of the table that holds the differences: `<name>_tally`. */
  name: string
  /** The table that is counted. It has an account_id. */
  table: string
  dimensions: readonly TallyColumn[]
  sums: readonly TallyColumn[]
}

export interface TallyColumn {
  name: string
  /** The type in PostgreSQL. */
  type: string
  /** An expression over one row, named `r`; the column of the same name if left out. */
  expression?: string
}

export const tableOf = ({ name }: Tally): string => `${name}_tally`

/** The names by which a tally groups. */
export const keysOf = ({ dimensions }: Tally): string[] => ['account_id', ...dimensions.map(({ name }) => name)]

export const sumsOf = ({ sums }: Tally): string[] => ['n', ...sums.map(({ name }) => name)]

/** What one row contributes: its dimensions, one, and its values. */
export function contributionOf({ dimensions, sums }: Tally, sign: 1 | -1): string {
  const expression = ({ name, expression }: TallyColumn) => expression ?? `r.${name}`
  const keys = ['r.account_id', ...dimensions.map((column) => `${expression(column)} as ${column.name}`)]
  const values = sums.map((column) => `${sign} * coalesce(${expression(column)}, 0) as ${column.name}`)
  return [...keys, `${sign}::bigint as n`, ...values].join(', ')
}
