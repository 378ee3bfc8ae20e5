import { hash, id, numbers, OF_SEED, personName, pick } from './words.js'

const TAGS = 20

/** The tags. */
export const tagsSql = `insert into tag (id, account_id, name, color)
  select ${id('tag', 't')}, $1::uuid, 'Tag ' || t || ${OF_SEED}, '#' || substr(md5(t::text), 1, 6)
  from generate_series(1, ${TAGS}) t on conflict do nothing`

/** Contacts $3 to $4. Every choice follows from a hash of the number, so that no column tells another. */
export const contactsSql = `insert into contact (id, account_id, name, email, phone, company, title, location,
    linkedin_profile_url, source, source_channel, custom_fields, last_interaction, created_at)
  select ${id('contact', 'n')}, $1::uuid, ${personName('n', 'h')},
    'user' || n || case when $2::int = 1 then '' else '.s' || $2::int end || '@'
      || ${pick('example.com|example.org|example.net|mail.example|corp.example', 'h / 256')},
    '+5511' || lpad((900000000 + h % 100000000)::text, 9, '9'),
    ${pick('Acme|Borealis|Cobalt|Delta|Everest|Fulcrum|Granite|Horizon', 'h / 7')} || ' ' || h / 99 % 1000 || ' Ltda',
    ${pick('CEO|CTO|Buyer|Head of Sales|Engineer|Analyst', 'h / 5')},
    ${pick('São Paulo|Rio de Janeiro|Lisboa|Porto|Recife|Curitiba', 'h / 3')},
    'https://www.linkedin.com/in/user' || n,
    ${pick('api|import|form|linkedin', 'h')}, ${pick('whatsapp|email|instagram|linkedin', 'h / 11')},
    jsonb_build_object('segment', 'S' || h % 9, 'employees', h % 5000, 'newsletter', h % 2 = 0),
    timestamptz '2025-06-01' + h % 9999999 * interval '1 second',
    timestamptz '2025-01-01' + n * interval '1 second'
  from ${numbers(hash('n'))}`

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
