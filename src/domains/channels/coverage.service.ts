/**
 * SQL that says whether the channel account of this alias works: of a sub-account's only as many do as its agency has paid
 * for, the oldest.
 */
export const covered = (alias: string): string =>
  `(select count(*) from channel_account o where o.account_id = ${alias}.account_id and o.kind = ${alias}.kind
    and o.status = 'connected' and o.id <= ${alias}.id) <= coalesce(channel_limit(${alias}.account_id, ${alias}.kind), 2147483647)`
