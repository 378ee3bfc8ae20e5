import type { Traces } from '../../shared/tracing.js'

/** To whom traces are told. */
export interface TraceSettings {
  /** The base address of a collector that speaks OTLP over HTTP. */
  endpoint: string
  /** The share of traces that are told, of those that no caller has decided on: from 0 to 1. */
  share: number
  /** How often it is told, in milliseconds, if not each second. */
  everyMs?: number
}

/** Tells a collector of traces. Only now is loaded what that takes. */
export async function openTraces(
  settings: TraceSettings,
  log: (level: 'info' | 'warn', message: string) => void,
): Promise<Traces> {
  const { OtlpTraces } = await import('./otlp.js')
  return new OtlpTraces(settings, log)
}
