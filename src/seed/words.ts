// Pieces of SQL that the seed's statements have in common. $1 is the account, $2 the seed.

const text = (words: string) =>
  `array[${words
    .split('|')
    .map((word) => `'${word}'`)
    .join(',')}]`

const FIRST = text('Ana|Bruno|Carla|Diego|Elisa|Fábio|Gina|Hugo|Íris|João|Kátia|Luís|Marta|Nuno|Olga|Paulo')
const LAST = text(
  'Almeida|Barbosa|Cardoso|Dias|Esteves|Ferreira|Gomes|Henriques|Inácio|Jesus|Klein|Lopes|Martins|Neves|Oliveira|Pereira',
)

/** One of the words, which are separated by bars; `n` is an SQL expression. */
export const pick = (words: string, n: string): string => `(${text(words)})[1 + ${n} % ${words.split('|').length}]`

/** A uuid v7 that follows from the seed, the account, a kind and a number; its time is a second a number. */
export const id = (kind: string, n: string): string => `(
  select (lpad(to_hex(1735689600000 + (${n})::bigint * 1000), 12, '0') || '7' || substr(h, 1, 3) || '8' || substr(h, 4, 15))::uuid
  from (select md5('${kind}' || $1::text || '/' || $2::text || '/' || (${n})::text)) m(h))`

/** A number of 28 bits that follows from the seed and a number. Each choice is made by another part of it. */
export const hash = (n: string): string => `('x' || substr(md5($2::text || '/' || ${n}), 1, 7))::bit(28)::int`

/** The name of the contact of this number and its hash. */
export const personName = (n: string, h: string): string =>
  `(${FIRST})[1 + ${h} % 16] || ' ' || (${LAST})[1 + ${h} / 16 % 16] || ' ' || to_hex(${n})`

/** Names that are unique in an account say of which seed they are, but for the first. */
export const OF_SEED = `case when $2::int = 1 then '' else ' of seed ' || $2::int end`

/** The numbers $3 to $4, each as `n` with its hash `h`, which is computed once: the offset keeps it from being inlined. */
export const numbers = (h: string): string =>
  `(select n, ${h} as h from generate_series($3::int, $4::int) n offset 0) s`
