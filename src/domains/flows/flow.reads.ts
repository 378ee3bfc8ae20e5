import { sql } from 'kysely'
import { param } from '../../database/index.js'
import { BY_NAME, type ColumnRef, computed, contains, hasWord, Reads, refersTo, where } from '../../kit/reads/index.js'
import { isContactOf } from '../contacts/index.js'
import { FlowEnrollment } from './enrollment.entity.js'
import { Flow } from './flow.entity.js'
import { EnrollmentSortField, type FlowEnrollmentFilter, type FlowFilter, FlowSortField } from './flow.inputs.js'
import { enrollmentTally } from './flow.tally.js'
import type { FlowCounts, Step } from './step.types.js'
import type { SendWindow } from './window.service.js'

/** A flow as a read brings it, with what was asked for of its version and its contacts. */
export type FlowRow = Partial<Flow> &
  Pick<Flow, 'id'> & { steps?: Step[]; sendWindow?: SendWindow | null; counts?: FlowCounts }

/** An enrollment as a read brings it. */
export type EnrollmentRow = Partial<FlowEnrollment> & Pick<FlowEnrollment, 'id'> & { steps?: Step[] }

const ofVersion = (column: string, flow: string, number: string) => (of: ColumnRef) =>
  sql`(select ${sql.ref(`v.${column}`)} from flow_version v
    where v.account_id = ${of('account_id')} and v.flow_id = ${of(flow)} and v.number = ${of(number)})`

const STATES = ['active', 'paused', 'completed', 'stopped', 'failed'] as const
const NONE: FlowCounts = { enrolled: 0, active: 0, paused: 0, completed: 0, stopped: 0, failed: 0 }

const counted = (n: ReturnType<typeof sql>, from: (of: ColumnRef) => ReturnType<typeof sql>) => (of: ColumnRef) => {
  const states = STATES.map((state) => {
    const one = sql`coalesce(${n} filter (where k.state = ${sql.lit(state)}), 0)::int`
    return sql`${sql.lit(state)}, ${one}`
  })
  return sql`(select json_build_object('enrolled', coalesce(${n}, 0)::int, ${sql.join(states)}) from ${from(of)})`
}
const inTally = (of: ColumnRef) => sql`flow_enrollment_tally k
  where k.account_id = ${of('account_id')} and k.flow_id = ${of('id')}`
// The kept total counts everybody's.
const ownOnes = (of: ColumnRef) => sql`flow_enrollment k
  where k.account_id = ${of('account_id')} and k.flow_id = ${of('id')}
    and ${isContactOf(param('ownerScope'), sql`k.contact_id`)}`

/** The reads of flows. */
export const flowReads = new Reads<FlowRow, FlowFilter, FlowSortField>({
  entity: Flow,
  children: {
    steps: computed<Step[]>(ofVersion('steps', 'id', 'version'), []),
    sendWindow: computed<SendWindow | null>(ofVersion('send_window', 'id', 'version'), null),
    counts: {
      value: counted(sql`sum(k.n)`, inTally),
      none: NONE,
      own: counted(sql`count(*)`, ownOnes),
      differences: {
        tally: enrollmentTally,
        value: (of) => sql`(select (count(*) filter (where k.fresh))::int from ${inTally(of)})`,
      },
    },
  },
  filters: {
    status: hasWord('status'),
    search: contains((of) => of('name_key')),
  } satisfies Record<keyof FlowFilter, unknown>,
  sorts: { [FlowSortField.CREATED_AT]: 'createdAt', [FlowSortField.NAME]: BY_NAME },
})

/** The reads of enrollments. */
export const enrollmentReads = new Reads<EnrollmentRow, FlowEnrollmentFilter, EnrollmentSortField>({
  entity: FlowEnrollment,
  own: where((of, seller) => isContactOf(seller, of('contact_id'))),
  relations: { flow: { by: 'flowId' }, contact: { by: 'contactId' } },
  children: { steps: computed<Step[]>(ofVersion('steps', 'flow_id', 'version'), []) },
  filters: {
    flowId: refersTo('flowId'),
    contactId: refersTo('contactId'),
    state: hasWord('state'),
    endReason: hasWord('endReason'),
  } satisfies Record<keyof FlowEnrollmentFilter, unknown>,
  sorts: {
    [EnrollmentSortField.CREATED_AT]: 'createdAt',
    [EnrollmentSortField.UPDATED_AT]: 'updatedAt',
    [EnrollmentSortField.DUE_AT]: 'dueAt',
  },
})
