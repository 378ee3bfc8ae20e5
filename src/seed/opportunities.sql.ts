import { hash, id, numbers, OF_SEED, personName, pick } from './words.js'

const SECTORS = 4
const USERS = 20
const CAMPAIGNS = 3

const STAGES = `(values (1, 'Invited', '#64748b', 'sent'), (2, 'Accepted', '#2563eb', 'accepted'),
  (3, 'Qualifying', '#7c3aed', 'qualifying_started'), (4, 'Qualified', '#d97706', 'qualified'),
  (5, 'Won', '#16a34a', 'won'), (6, 'Lost', '#dc2626', 'lost')) s (position, name, color, lifecycle)`

/** What opportunities refer to, in this order: sectors, users, campaigns, a second pipeline and its stages. */
export const settingSql: readonly string[] = [
  `insert into sector (id, account_id, name) select ${id('sector', 'n')}, $1::uuid, 'Sector ' || n || ${OF_SEED}
    from generate_series(1, ${SECTORS}) n on conflict do nothing`,
  // An address belongs to one user of the whole service.
  `insert into app_user (id, account_id, name, email, sector_id)
    select ${id('user', 'n')}, $1::uuid, ${personName('n', hash('n'))},
      'seller' || n || '.s' || $2::int || '@' || $1::text || '.example', ${id('sector', `1 + n % ${SECTORS}`)}
    from generate_series(1, ${USERS}) n on conflict do nothing`,
  `insert into campaign (id, account_id, name, status, channel, created_at)
    select ${id('campaign', 'n')}, $1::uuid, 'Campaign ' || n || ${OF_SEED}, ${pick('active|paused|completed', 'n')},
      ${pick('linkedin|whatsapp|email', 'n')}, timestamptz '2025-01-01' + n * interval '1 day'
    from generate_series(1, ${CAMPAIGNS}) n on conflict do nothing`,
  `insert into pipeline (id, account_id, name, display_order)
    select ${id('pipeline', '1')}, $1::uuid, 'Partners' || ${OF_SEED}, 2 on conflict do nothing`,
  `insert into stage (id, account_id, pipeline_id, name, color, position, is_win_stage, is_loss_stage, lifecycle)
    select ${id('stage', 's.position')}, $1::uuid, ${id('pipeline', '1')}, s.name, s.color, s.position,
      s.lifecycle = 'won', s.lifecycle = 'lost', s.lifecycle from ${STAGES} on conflict (id) do nothing`,
]

const LIFECYCLE = ['sent', 'accepted', 'qualifying_started', 'qualified', 'scheduled']

/**
 * The stages of the default pipeline and of the seed's, numbered from 0 by `k`, and for each the way to it: through the
 * open stages before it, one step of time each. A moment of an opportunity is the number of the step that sets it.
 */
const WAYS = `stages as materialized (
    select s.id, s.name, s.pipeline_id, s.position, s.lifecycle, s.is_win_stage as win, s.is_loss_stage as loss,
      row_number() over (order by p.is_default desc, s.position) - 1 as k, count(*) over () as stages
    from stage s join pipeline p on p.id = s.pipeline_id
    where p.account_id = $1::uuid and (p.is_default or p.id = ${id('pipeline', '1')})),
  steps as materialized (
    select s.id as stage_id, t.id, t.name, t.lifecycle, t.win, t.loss,
      row_number() over (partition by s.id order by t.id = s.id, t.position) - 1 as step
    from stages s join stages t on t.pipeline_id = s.pipeline_id
      and (t.id = s.id or t.position < s.position and not t.win and not t.loss)),
  ways as materialized (
    select s.k, s.stages, s.id as stage_id, s.pipeline_id,
      ${LIFECYCLE.map((name) => `max(t.step) filter (where t.lifecycle = '${name}') as ${name}`).join(', ')},
      max(t.step) filter (where t.win) as won, max(t.step) filter (where t.loss) as lost, max(t.step) as last
    from stages s join steps t on t.stage_id = s.id group by 1, 2, 3, 4)`

// A year of days and seconds, and up to three days for a step.
const CREATED = `timestamptz '2025-02-01' + h % 365 * interval '1 day' + h / 365 % 86400 * interval '1 second'`
const STEP = `(1 + h / 13 % 72) * interval '1 hour'`

/** Opportunities $3 to $4, each with what the statements on it need to know; $5 is how many contacts there are. */
const SOURCE = `(select n, h, ${CREATED} as born, ${STEP} as step,
      case when $5::int > 0 then 1 + (n - 1) % greatest($5::int, 1) end as contact
    from ${numbers(hash(`'opportunity ' || n`))} offset 0) o
  join ways w on w.k = o.h / 29 % (select count(*) from stages)`

const moment = (name: string) => `o.born + w.${name} * o.step`

/** Some are in no campaign, in no sector or of nobody. */
const some = (kind: string, count: number, n: string) =>
  `case when ${n} % ${count + 1} > 0 then ${id(kind, `${n} % ${count + 1}`)} end`

/** Opportunities $3 to $4 of the contacts 1 to $5. */
export const opportunitiesSql = `with ${WAYS}
  insert into opportunity (id, account_id, title, value, currency, probability, expected_close_date, pipeline_id,
    stage_id, campaign_id, owner_user_id, sector_id, contact_id, score, source, sent_at, accepted_at,
    qualifying_started_at, qualified_at, scheduled_at, won_at, lost_at, loss_reason, discarded_at, created_at)
  select ${id('opportunity', 'o.n')}, $1::uuid,
    ${personName('coalesce(o.contact, o.n)', hash('coalesce(o.contact, o.n)'))},
    (o.h % 5000000) / 100.0, (select currency from account where id = $1::uuid),
    case when w.won is not null then 100 when w.lost is not null then 0 else o.h / 3 % 20 * 5 end,
    (o.born + (30 + o.h % 90) * interval '1 day')::date, w.pipeline_id, w.stage_id,
    ${some('campaign', CAMPAIGNS, '(o.h / 17)')}, ${some('user', USERS, '(o.h / 7)')},
    ${some('sector', SECTORS, '(o.h / 5)')}, case when o.contact is not null then ${id('contact', 'o.contact')} end,
    o.h / 11 % 101, ${pick('linkedin|google_maps|list|paid_traffic|other', 'o.h / 19')},
    ${LIFECYCLE.map(moment).join(', ')}, ${moment('won')}, ${moment('lost')},
    case when w.lost is not null then ${pick('Too expensive|Chose another|No answer', 'o.h / 23')} end,
    case when w.won is null and w.lost is null and o.h % 23 = 0 then ${moment('last')} + interval '30 days' end,
    o.born
  from ${SOURCE}`

/** What happened to opportunities $3 to $4: their creation, and each move to another stage. */
export const historySql = `with ${WAYS}
  insert into opportunity_history (id, account_id, opportunity_id, action, from_stage_id, from_stage_name, to_stage_id,
    to_stage_name, to_value, notes, created_at)
  select ${id('history', 'o.n * 100 + t.step')}, $1::uuid, ${id('opportunity', 'o.n')},
    case when f.id is null then 'created' else 'stage_changed' end, f.id, f.name, t.id, t.name,
    case when f.id is null then (o.h % 5000000) / 100.0 end,
    case when t.loss then ${pick('Too expensive|Chose another|No answer', 'o.h / 23')} end,
    o.born + t.step * o.step
  from ${SOURCE} join steps t on t.stage_id = w.stage_id
    left join steps f on f.stage_id = t.stage_id and f.step = t.step - 1`
