import { setTimeout as delay } from 'node:timers/promises'
import {
  defaultTextMapGetter,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { SERVICE } from '../../shared/service.js'
import type { Attributes, Span, Traces } from '../../shared/tracing.js'
import type { TraceSettings } from './index.js'

// What a process that dies has not told is lost.
const TOLD_EVERY_MS = 1000
// For a portion, retries included; a process that ends waits no longer, so it is less than what OpenTelemetry proposes.
const TELL_MS = 1500

const parents = new W3CTraceContextPropagator()

/**
 * Traces told to a collector over OTLP (HTTP, protobuf), in portions that no request waits for; what it does not take in time
 * is lost.
 */
export class OtlpTraces implements Traces {
  private readonly provider: TracerProvider
  private readonly tracer: Tracer

  constructor(
    { endpoint, share, everyMs = TOLD_EVERY_MS }: TraceSettings,
    log: (level: 'info' | 'warn', message: string) => void,
  ) {
    const exporter = telling(new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: TELL_MS }), log)
    // What OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say counts before our own name.
    const ours = resourceFromAttributes({ 'service.name': 'fairlead', 'service.version': SERVICE.version })
    const resource = defaultResource()
      .merge(ours)
      .merge(detectResources({ detectors: [envDetector] }))
    this.provider = new TracerProvider({
      resource,
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
      spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: everyMs })],
    })
    this.tracer = this.provider.getTracer('fairlead', SERVICE.version)
  }

  begin(name: string, attributes: Attributes, headers?: Readonly<Record<string, unknown>>): Span | undefined {
    const parent = headers ? parents.extract(ROOT_CONTEXT, headers, defaultTextMapGetter) : ROOT_CONTEXT
    const kind = headers ? SpanKind.SERVER : SpanKind.CONSUMER
    const span = this.tracer.startSpan(name, { kind, attributes: { ...attributes } }, parent)
    return span.isRecording() ? new OtlpSpan(this.tracer, span) : undefined
  }

  async close(): Promise<void> {
    const told = this.provider.shutdown().catch(() => {})
    await Promise.race([told, delay(TELL_MS, undefined, { ref: false })])
  }
}

class OtlpSpan implements Span {
  constructor(
    private readonly tracer: Tracer,
    private readonly span: OtelSpan,
  ) {}

  get traceId(): string {
    return this.span.spanContext().traceId
  }

  part(name: string, attributes: Attributes): Span | undefined {
    if (!this.span.isRecording()) return undefined
    const options = { kind: SpanKind.CLIENT, attributes: { ...attributes } }
    return new OtlpSpan(this.tracer, this.tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, this.span)))
  }

  rename(name: string): void {
    this.span.updateName(name)
  }

  add(attributes: Attributes): void {
    this.span.setAttributes({ ...attributes })
  }

  end(failure?: string): void {
    if (failure !== undefined) {
      this.span.setAttribute('error.type', failure)
      this.span.setStatus({ code: SpanStatusCode.ERROR })
    }
    this.span.end()
  }
}

/** An exporter that says once when its collector takes nothing, and once when it takes traces again. */
function telling(exporter: SpanExporter, log: (level: 'info' | 'warn', message: string) => void): SpanExporter {
  let failing = false
  const note = (failed: boolean, why?: string) => {
    if (failed && !failing) log('warn', `Traces cannot be told: ${why ?? 'the collector does not take them'}`)
    if (!failed && failing) log('info', 'Traces are told again.')
    failing = failed
  }
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        note(result.code !== ExportResultCode.SUCCESS, result.error?.message)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  }
}
