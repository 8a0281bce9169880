import type { Metric, Registry } from 'prom-client'

interface Settings {
  name: string
  help: string
  labelNames: readonly string[]
}

interface TimingsSettings extends Settings {
  /** Upper bounds in seconds, ascending. */
  buckets: readonly number[]
}

/** One series of a counter. */
export interface Count {
  value: number
}

/**
 * A counter for what every request counts, in a registry of prom-client. A count takes a few nanoseconds (decision 0031).
 */
export class Counts {
  readonly type = 'counter'
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  readonly #series = new Map<string, Count & { labels: Record<string, string> }>()

  constructor(registry: Registry, { name, help, labelNames }: Settings) {
    this.name = name
    this.help = help
    this.labelNames = labelNames
    registry.registerMetric(this as unknown as Metric)
  }

  /** Returns the series of these values, in the order of the label names. Callers keep it where they can. */
  of(...values: string[]): Count {
    const key = values.join('\n')
    const knownSeries = this.#series.get(key)
    if (knownSeries) return knownSeries
    const series = { labels: toLabels(this.labelNames, values), value: 0 }
    this.#series.set(key, series)
    return series
  }

  async get() {
    const { name, help, type } = this
    return { name, help, type, aggregator: 'sum', values: [...this.#series.values()] }
  }
}

const toLabels = (names: readonly string[], values: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name, i) => [name, values[i] ?? '']))

/** One series of a histogram. */
export class Timing {
  readonly #buckets: readonly number[]
  /** Observations up to each bound and above the one before; the last is for those above all. */
  readonly counts: number[]
  sum = 0

  constructor(buckets: readonly number[]) {
    this.#buckets = buckets
    this.counts = Array(buckets.length + 1).fill(0)
  }

  observe(seconds: number): void {
    const buckets = this.#buckets
    let at = 0
    while (at < buckets.length && seconds > (buckets[at] as number)) at += 1
    this.counts[at] = (this.counts[at] as number) + 1
    this.sum += seconds
  }
}

/**
 * A histogram for measurements of every request, in a registry of prom-client. An observation takes a tenth of the time
 * of prom-client's own (decision 0031).
 */
export class Timings {
  readonly type = 'histogram'
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  readonly #buckets: readonly number[]
  readonly #series = new Map<string, { labels: Record<string, string>; timing: Timing }>()

  constructor(registry: Registry, { name, help, buckets, labelNames }: TimingsSettings) {
    this.name = name
    this.help = help
    this.labelNames = labelNames
    this.#buckets = buckets
    // The registry needs no more of a metric than `get` and these fields.
    registry.registerMetric(this as unknown as Metric)
    if (labelNames.length === 0) this.of()
  }

  /** Returns the series of these values, in the order of the label names. Callers keep it where they can. */
  of(...values: string[]): Timing {
    const key = values.join('\n')
    const knownSeries = this.#series.get(key)
    if (knownSeries) return knownSeries.timing
    const timing = new Timing(this.#buckets)
    this.#series.set(key, { labels: toLabels(this.labelNames, values), timing })
    return timing
  }

  async get() {
    const { name, help } = this
    const values = [...this.#series.values()].flatMap(({ labels, timing }) => {
      let count = 0
      const buckets = timing.counts.map((number, i) => {
        count += number
        const le = this.#buckets[i] ?? '+Inf'
        return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count }
      })
      const sum = { metricName: `${name}_sum`, labels, value: timing.sum }
      return [...buckets, sum, { metricName: `${name}_count`, labels, value: count }]
    })
    return { name, help, type: this.type, aggregator: 'sum', values }
  }
}
