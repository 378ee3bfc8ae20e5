const text = (words: string) =>
  `array[${words
    .split('|')
    .map((word) => `'${word}'`)
    .join(',')}]`

const FIRST = text('Ana|Bruno|Carla|Diego|Elisa|Fábio|Gina|Hugo|Íris|João|Kátia|Luís|Marta|Nuno|Olga|Paulo')
const LAST = text(
  'Almeida|Barbosa|Cardoso|Dias|Esteves|Ferreira|Gomes|Henriques|Inácio|Jesus|Klein|Lopes|Martins|Neves|Oliveira|Pereira',
)
const COMPANY = text('Acme|Borealis|Cobalt|Delta|Everest|Fulcrum|Granite|Horizon')
const TITLE = text('CEO|CTO|Buyer|Head of Sales|Engineer|Analyst')
const CITY = text('São Paulo|Rio de Janeiro|Lisboa|Porto|Recife|Curitiba')
const SOURCE = text('api|import|form|linkedin')
const CHANNEL = text('whatsapp|email|instagram|linkedin')
const TAGS = 20

/** A uuid v7 that follows from the seed ($2), the account ($1), a kind and a number; its time is a second a number. */
const id = (kind: string, n: string) => `(
  select (lpad(to_hex(1735689600000 + (${n})::bigint * 1000), 12, '0') || '7' || substr(h, 1, 3) || '8' || substr(h, 4, 15))::uuid
  from (select md5('${kind}' || $1::text || '/' || $2::text || '/' || (${n})::text)) m(h))`

export const tagsSql = `insert into tag (id, account_id, name, color)
  select ${id('tag', 't')}, $1::uuid, 'Tag ' || t || case when $2::int = 1 then '' else ' of seed ' || $2::int end,
    '#' || substr(md5(t::text), 1, 6)
  from generate_series(1, ${TAGS}) t on conflict do nothing`

/** Contacts $3 to $4. Every choice follows from a hash of the number, so that no column tells another. */
export const contactsSql = `insert into contact (id, account_id, name, email, phone, company, title, location,
    linkedin_profile_url, source, source_channel, custom_fields, last_interaction, created_at)
  select ${id('contact', 'n')}, $1::uuid,
    (${FIRST})[1 + h % 16] || ' ' || (${LAST})[1 + h / 16 % 16] || ' ' || to_hex(n),
    'user' || n || case when $2::int = 1 then '' else '.s' || $2::int end || '@'
      || (array['example.com','example.org','example.net','mail.example','corp.example'])[1 + h / 256 % 5],
    '+5511' || lpad((900000000 + h % 100000000)::text, 9, '9'),
    (${COMPANY})[1 + h / 7 % 8] || ' ' || h / 99 % 1000 || ' Ltda',
    (${TITLE})[1 + h / 5 % 6], (${CITY})[1 + h / 3 % 6],
    'https://www.linkedin.com/in/user' || n,
    (${SOURCE})[1 + h % 4], (${CHANNEL})[1 + h / 11 % 4],
    jsonb_build_object('segment', 'S' || h % 9, 'employees', h % 5000, 'newsletter', h % 2 = 0),
    timestamptz '2025-06-01' + h % 9999999 * interval '1 second',
    timestamptz '2025-01-01' + n * interval '1 second'
  from (select n, ('x' || substr(md5($2::text || '/' || n), 1, 7))::bit(28)::int as h
    from generate_series($3::int, $4::int) n) s`

/** Two different tags on each contact. */
export const tagLinksSql = `insert into contact_tag (account_id, contact_id, tag_id)
  select $1::uuid, ${id('contact', 'n')}, ${id('tag', 't')}
  from generate_series($3::int, $4::int) n,
    lateral (values (1 + n * 7 % ${TAGS}), (1 + (n * 7 + 3 + n % 5) % ${TAGS})) v(t)`

/** $5 notes on each contact. */
export const notesSql = `insert into contact_note (id, account_id, contact_id, note, created_at)
  select ${id('note', 'n * 1000 + k')}, $1::uuid, ${id('contact', 'n')},
    'Called, asked for an offer, will decide next week. Note number ' || k,
    timestamptz '2025-01-01' + n * interval '1 second' + k * interval '1 day'
  from generate_series($3::int, $4::int) n, generate_series(1, $5::int) k`
