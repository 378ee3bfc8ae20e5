import type { RecurringJob } from '../../kit/job.js'
import { FORGOTTEN_AFTER_MINUTES } from './attempts.service.js'
import { sessionSettings } from './settings.service.js'

/** Removes sessions and links that have ended, and attempts that count no longer. */
export const sweepSignIns: RecurringJob = {
  name: 'sweep-sign-ins',
  cron: '*/5 * * * *',
  async run({ pool, needs }) {
    const { idleHours } = needs.get(sessionSettings)
    await pool.query(
      'delete from sign_in_session where expires_at < now() or last_used_at < now() - make_interval(hours => $1)',
      [idleHours],
    )
    await pool.query('delete from sign_in_link where expires_at < now()')
    await pool.query('delete from sign_in_attempt where last_at < now() - make_interval(mins => $1)', [
      FORGOTTEN_AFTER_MINUTES,
    ])
  },
}
