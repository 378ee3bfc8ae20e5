import type { RecurringJob } from '../../kit/job.js'

/** How long what was told of a message that nobody knows is kept, in days: providers tell nothing of one for longer. */
export const KEPT_DAYS = 7

/** Forgets what was told of messages that have never become known, such as those that another program has sent. */
export const forgetReceipts: RecurringJob = {
  name: 'forget-receipts',
  cron: '17 * * * *',
  async run({ pool }) {
    await pool.query('delete from message_receipt where created_at < now() - make_interval(days => $1)', [KEPT_DAYS])
  },
}
