/** Something that services need from outside of the database, such as what sends mail; the start of a process hands it in. */
export interface Need<T> {
  name: string
  /** Only a type: what is handed in. */
  readonly thing?: T
}

/** Names something that services need; they get it by `db.get(need)`. */
export const defineNeed = <T>(name: string): Need<T> => ({ name })

/** What the start of a process has handed in. */
export class Needs {
  private readonly given = new Map<Need<unknown>, unknown>()
  private readonly ends: (() => void | Promise<void>)[] = []

  /** Hands something in, and tells what is to be done when the process has no use for it any more. */
  provide<T>(need: Need<T>, thing: T, end?: () => void | Promise<void>): void {
    this.given.set(need, thing)
    if (end) this.ends.push(end)
  }

  /** Lets go of all that was handed in. */
  async release(): Promise<void> {
    await Promise.all(this.ends.splice(0).map((end) => end()))
  }

  /** Undefined when nobody has handed it in. */
  find<T>(need: Need<T>): T | undefined {
    return this.given.get(need) as T | undefined
  }

  /** Throws when nobody has handed it in. */
  get<T>(need: Need<T>): T {
    if (!this.given.has(need)) throw new Error(`nobody has provided ${need.name}`)
    return this.given.get(need) as T
  }
}
