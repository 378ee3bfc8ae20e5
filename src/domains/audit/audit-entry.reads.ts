import { sql } from 'kysely'
import { hasWord, Reads, refersTo, since, until, where } from '../../kit/reads/index.js'
import { isUuid } from '../../shared/ids.js'
import { AuditEntry } from './audit-entry.entity.js'
import type { AuditFilter } from './audit-entry.inputs.js'

/** The reads of the audit, newest first. */
export const auditReads = new Reads<AuditEntry, AuditFilter>({
  entity: AuditEntry,
  filters: {
    action: hasWord('action'),
    subjectKind: hasWord('subjectKind'),
    subjectId: refersTo('subjectId'),
    actorKind: hasWord('actorKind'),
    actorId: where((of, id) => sql`(${of('actor_id')} = ${id} or ${of('user_id')} = ${id})`, {
      prepare: (id) => (isUuid(id) ? id.toLowerCase() : undefined),
    }),
    tool: hasWord('tool'),
    from: since('createdAt'),
    to: until('createdAt'),
  } satisfies Record<keyof AuditFilter, unknown>,
  sorts: { created_at: 'createdAt' },
})
