import { Migration } from '@mikro-orm/migrations'

// What percent codes stand for, where they are UTF-8; whatever else stays as it is.
const decode = `
create function percent_decoded(address text) returns text language sql immutable strict parallel safe
  return (select string_agg(
      case when length(part[1]) > 1 then convert_from(decode(replace(part[1], '%', ''), 'hex'), 'UTF8') else part[1] end,
      '' order by place)
    from regexp_matches(address, '(%(?:0[1-9a-f]|[1-7][0-9a-f])' ||
      '|%(?:c[2-9a-f]|d[0-9a-f])%[89ab][0-9a-f]' ||
      '|%e0%[ab][0-9a-f]%[89ab][0-9a-f]|%ed%[89][0-9a-f]%[89ab][0-9a-f]|%e[1-9abcef](?:%[89ab][0-9a-f]){2}' ||
      '|%f0%[9ab][0-9a-f](?:%[89ab][0-9a-f]){2}|%f[1-3](?:%[89ab][0-9a-f]){3}|%f4%8[0-9a-f](?:%[89ab][0-9a-f]){2}' ||
      '|.)', 'gi') with ordinality as found (part, place));`

// By what two spellings of a profile's address are compared: host without www and without a country's or the mobile
// subdomain, path with percent codes decoded, without case, query, trailing slashes and the suffix of a language.
const key = `
drop index contact_linkedin_idx;
create or replace function linkedin_key(url text) returns text language sql immutable strict parallel safe
  return md5(nullif(regexp_replace(rtrim(regexp_replace(
      lower(regexp_replace(regexp_replace(
        case when position('%' in url) > 0 then percent_decoded(url) else url end,
        '[?#].*$', ''), '^\\s*[a-z]+://', '', 'i')),
      '^(?:www|[a-z]{2}|m)\\.(?=[^/]+\\.)', ''), '/ '),
    '^(linkedin\\.com/in/[^/]+)/[a-z]{2}(?:[-_][a-z]{2})?$', '\\1'), ''));
create index contact_linkedin_idx on contact (account_id, linkedin_key(linkedin_profile_url), created_at, id)
  where linkedin_profile_url is not null;`

const formerKey = `
drop index contact_linkedin_idx;
create or replace function linkedin_key(url text) returns text language sql immutable strict parallel safe
  return md5(nullif(rtrim(regexp_replace(lower(regexp_replace(url, '^[a-z]+://', '', 'i')), '[?#].*$', ''), '/'), ''));
drop function percent_decoded;
create index contact_linkedin_idx on contact (account_id, linkedin_key(linkedin_profile_url), created_at, id)
  where linkedin_profile_url is not null;`

export class M0015_linkedin_addresses extends Migration {
  override up(): void {
    this.addSql(decode)
    this.addSql(key)
  }

  override down(): void {
    this.addSql(formerKey)
  }
}
