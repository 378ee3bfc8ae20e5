import { AgencyBusy } from './turn.service.js'

const AT_ONCE = 4

/**
 * Does something for each of these agencies, a few at a time. One that fails holds up no other: the failures are thrown
 * together at the end. One that is busy has its turn the next time.
 */
export async function forEachAgency(
  agencies: readonly { id: string }[],
  work: (agencyId: string) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = []
  const left = [...agencies]
  const next = async () => {
    for (let agency = left.pop(); agency; agency = left.pop()) {
      await work(agency.id).catch((error: unknown) => {
        if (!(error instanceof AgencyBusy)) failures.push(error)
      })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
  if (failures.length > 0) throw new AggregateError(failures, `billing failed for ${failures.length} agencies`)
}
