interface Waiting<T> {
  items: readonly T[]
  done: () => void
  failed: (error: unknown) => void
}

/**
 * Writes together what comes in while the write before is under way, so that much at once takes few commits; in the order of
 * arrival.
 */
export class Gatherer<T> {
  private waiting: Waiting<T>[] = []
  private isWriting = false

  /** `most` is how many calls one write serves. */
  constructor(
    private readonly write: (items: readonly T[]) => Promise<unknown>,
    private readonly most = Number.POSITIVE_INFINITY,
  ) {}

  /** Resolves when all of it is written. */
  add(items: readonly T[]): Promise<void> {
    return new Promise((done, failed) => {
      this.waiting.push({ items, done, failed })
      if (!this.isWriting) void this.writeAll()
    })
  }

  private async writeAll(): Promise<void> {
    this.isWriting = true
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.most)
      try {
        await this.write(batch.flatMap(({ items }) => items))
        for (const { done } of batch) done()
      } catch (error) {
        for (const { failed } of batch) failed(error)
      }
    }
    this.isWriting = false
  }
}
