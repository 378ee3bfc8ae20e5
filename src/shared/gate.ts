import { AppError } from './errors.js'

const MAX_WAITING = 500
const CROWDED = 'Too many people are signing in: try again in a moment.'

/** Seconds after which whoever found the line full may try again. */
const RETRY_AFTER_SECONDS = 5

/** Lets so many pieces of work run at once; the others wait in a line, in the order in which they came. */
export class Gate {
  private running = 0
  private readonly waiting: (() => void)[] = []

  constructor(
    private readonly atOnce: number,
    /** How many may wait: who finds that many before it is refused at once. */
    private readonly most = MAX_WAITING,
    /** What is said then. */
    private readonly message = CROWDED,
  ) {}

  /** Runs the work when its turn comes; SERVICE_UNAVAILABLE at once when too many wait. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.atOnce) this.running++
    else {
      if (this.waiting.length >= this.most) {
        throw new AppError('SERVICE_UNAVAILABLE', this.message, { extra: { retryAfter: RETRY_AFTER_SECONDS } })
      }
      await new Promise<void>((go) => this.waiting.push(go))
    }
    try {
      return await work()
    } finally {
      const next = this.waiting.shift()
      if (next) next()
      else this.running--
    }
  }
}
