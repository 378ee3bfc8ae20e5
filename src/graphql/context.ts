import { type Context, type Database, type RateState, Scope } from '../database/index.js'
import type { AppError } from '../shared/errors.js'
import type { Turn } from '../shared/read-turns.js'
import { insider, NO_ACCOUNT, type Viewer } from '../shared/viewer.js'
import { Warnings } from '../shared/warnings.js'

/** Who asks, or why that is not known. */
export type Identity = { viewer: Viewer } | { error: AppError }

/** How much of its hour's requests the key has left, and how to count more of them. */
export interface Allowance {
  state: RateState
  charge(requests: number): Promise<void>
}

/** What is known of a request beside who asks. */
export interface RequestOptions {
  allowance?: Allowance
  /** Whether a stored operation will run, and not one that a caller has made up. */
  stored?: boolean
  /** Whether nobody waits for the answer any more. */
  gone?: () => boolean
  /** Where the request comes from, and what it says that it comes from. */
  caller?: { address(): string; userAgent(): string }
}

/** The context of one request; an unauthenticated one fails only when a field asks who it is. */
export class RequestContext implements Context {
  readonly perRequest = new Map<unknown, unknown>()
  readonly warnings = new Warnings()
  private scope?: Scope

  /** Whether nobody waits for the answer any more. */
  gone?: () => boolean
  rehearsing = false
  // Apollo works on a copy of the context: what the original is to know as well is in an object that both have.
  private readonly work: { kind: string; statements: number; turn?: Turn } = { kind: 'request', statements: 0 }
  lasting?: string
  tool?: string
  private allowance?: Allowance
  private readonly stored: boolean
  private caller?: RequestOptions['caller']

  constructor(
    readonly requestId: string,
    private readonly identity: Identity,
    private readonly database: Database,
    { allowance, stored = false, gone, caller }: RequestOptions = {},
  ) {
    this.allowance = allowance
    this.stored = stored
    this.gone = gone
    this.caller = caller
  }

  get rate(): RateState | undefined {
    return this.allowance?.state
  }

  async charge(requests: number): Promise<void> {
    if (requests > 0) await this.allowance?.charge(requests)
  }

  async begin(mutation: boolean): Promise<void> {
    if ('error' in this.identity) return
    const { accountId, agencyId } = this.identity.viewer
    const { reads } = this.database
    if (mutation) reads.write(agencyId ?? accountId)
    else this.work.turn = await reads.read(agencyId ?? accountId)
  }

  end(): void {
    this.work.turn?.end()
    this.work.turn = undefined
  }

  get turn(): Turn | undefined {
    return this.work.turn
  }

  release(): void {
    this.allowance = undefined
    this.gone = undefined
    this.caller = undefined
  }

  get account(): string | undefined {
    return 'viewer' in this.identity ? this.identity.viewer.accountId : undefined
  }

  get kind(): string {
    return this.work.kind
  }

  set kind(kind: string) {
    this.work.kind = kind
  }

  get statements(): number {
    return this.work.statements
  }

  sent(statements: number): void {
    this.work.statements += statements
  }

  get viewer(): Viewer {
    if ('error' in this.identity) throw this.identity.error
    return this.identity.viewer
  }

  get address(): string {
    return this.caller?.address() ?? ''
  }

  get userAgent(): string {
    return this.caller?.userAgent() ?? ''
  }

  asService(): Scope {
    const viewer = 'viewer' in this.identity ? this.identity.viewer : insider('system', NO_ACCOUNT)
    return new Scope(this.database, viewer, { warnings: this.warnings, walled: false, caller: this })
  }

  get db(): Scope {
    const { warnings, stored } = this
    if (this.scope) return this.scope
    const { viewer } = this
    const options = { warnings, stored, caller: this }
    this.scope =
      viewer.agencyId === undefined
        ? new Scope(this.database, viewer, options)
        : Scope.ofAgency(this.database, viewer.agencyId, options)
    return this.scope
  }
}
