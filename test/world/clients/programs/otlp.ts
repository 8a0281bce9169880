// Reads bodies of OTLP by OpenTelemetry's definitions, which releases of this package contain, compiled by protobuf.js,
// that did not write the format by themselves yet.
// Prints for each body the names of its spans and services, and whether it has a field that the definitions lack.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const path = '@opentelemetry/otlp-transformer/build/src/generated/root.js'
const root = createRequire(import.meta.url)(path)
const { ExportTraceServiceRequest: Type } = root.opentelemetry.proto.collector.trace.v1

interface Attribute {
  key: string
  value: { stringValue?: string }
}
interface ResourceSpans {
  resource: { attributes: Attribute[] }
  scopeSpans: { spans: { name: string; traceId: string; spanId: string }[] }[]
}

const reports = process.argv.slice(2).map((file) => {
  const body = readFileSync(file)
  const message = Type.decode(body)
  const { resourceSpans } = Type.toObject(message, { bytes: String, longs: String, arrays: true })
  return {
    mistake: Type.verify(message),
    isComplete: Type.encode(message).finish().length === body.length,
    services: resourceSpans.map(
      ({ resource }: ResourceSpans) => resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue,
    ),
    spans: resourceSpans.flatMap(({ scopeSpans }: ResourceSpans) => scopeSpans.flatMap(({ spans }) => spans)),
  }
})
console.log(JSON.stringify(reports))
