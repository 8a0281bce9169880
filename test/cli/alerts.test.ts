import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SyntaxNode } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'
import { createMetricsReader } from '../../src/cli/health.ts'
import { countedStorage } from '../../src/platform/counted-storage.ts'
import { tone } from '../support/audio.ts'
import { deliverDue, startReceiver } from '../support/receiver.ts'
import { type Json, uploadTrack, useTestService } from '../support/service.ts'

const root = join(import.meta.dir, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const rules: Json[] = (Bun.YAML.parse(read('.config/deploy/prometheus/alerts.yaml')) as Json).groups.flatMap(
  (group: Json) => group.rules,
)
const panels: Json[] = JSON.parse(read('.config/deploy/grafana/tonearm.json')).panels

interface Query {
  place: string
  expr: string
}
const queries: Query[] = [
  ...rules.map(({ alert, expr }) => ({ place: alert, expr })),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }: Json) => ({ place: title, expr }))),
]

interface Selector {
  name: string
  /** Labels that are compared, with values where they must be equal. */
  matchers: { label: string; values: string[] }[]
  /** Labels of the aggregations around it. */
  grouped: string[]
}

/** Reads the selectors of a query by Prometheus' own grammar. @throws for a syntax error */
function selectorsOf(query: string): Selector[] {
  // Variables of Grafana.
  const text = query.replaceAll('$__rate_interval', '1m')
  const selectors: Selector[] = []
  const textOf = ({ from, to }: SyntaxNode) => text.slice(from, to)
  function visit(node: SyntaxNode, grouped: string[]): void {
    if (node.type.isError) throw new Error(`${query}: syntax error at ${node.from}`)
    const inner = [...grouped]
    if (node.name === 'AggregateExpr') {
      const labels = node.getChild('AggregateModifier')?.getChild('GroupingLabels')?.getChildren('LabelName') ?? []
      inner.push(...labels.map(textOf))
    }
    if (node.name === 'VectorSelector') selectors.push({ ...selectorOf(node), grouped: inner })
    for (let child = node.firstChild; child; child = child.nextSibling) visit(child, inner)
  }
  function selectorOf(node: SyntaxNode) {
    const name = node.getChild('Identifier')
    const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []
    return {
      name: name ? textOf(name) : '',
      matchers: matchers.map((matcher) => {
        const [, label = '', operator = '', value = ''] = /^(\w+)(=~|!=|!~|=)"(.*)"$/.exec(textOf(matcher)) ?? []
        const isPattern = /[.*+$]/.test(value)
        return { label, values: operator === '=' || (operator === '=~' && !isPattern) ? value.split('|') : [] }
      }),
    }
  }
  visit(parser.parse(text).topNode, [])
  return selectors
}

/** Labels that Prometheus adds to every sample. */
const added = ['instance', 'job']
/** Values that only failures produce, and the recognition of speech, by label. */
const ofFailures: Record<string, string[]> = {
  code: ['internal', 'unavailable', 'timeout'],
  outcome: ['error', 'given_up', 'delayed', 'failed'],
  status: ['error', 'init_error'],
  state: ['exhausted'],
  reason: ['limited'],
  task: ['transcribe_track'],
}

const hooks = startReceiver()
const service = useTestService({ BACKUP_TO: '/backups' })
/** Labels with their values, by name of a metric or of its series. */
const scraped = new Map<string, Map<string, Set<string>>>()

beforeAll(async () => {
  const { services, demo } = service
  const endpoint = { organizationId: demo.organization_id, url: hooks.at(), secrets: ['whsec_c2VjcmV0'] }
  await services.db.webhookEndpoint.create({ data: endpoint })
  const track = await uploadTrack(service, await tone(1))
  // While the upload waits.
  const waiting = await scrape()
  await service.runJobs()
  await service.request('GET', `/v1/stream/${track}/${demo.share_key}`, { key: null })
  await service.graphql('{ tracks(first: 1) { nodes { id } } }')
  await service.graphql('{ track(id: "x") { id } }')
  await countedStorage(services.storage, services.metrics).read('missing', 0, 1)
  await deliverDue(service)
  for (const text of [waiting, await scrape()]) readSamples(text)
  // Counters of failures have no sample: their labels are those of their definition.
  for (const metric of services.metrics.registry.getMetricsAsArray()) {
    const labels = scraped.get(metric.name)
    for (const label of (metric as Json).labelNames) if (labels && !labels.has(label)) labels.set(label, new Set())
  }
}, 60_000)

afterAll(() => hooks.stop())

function readSamples(text: string): void {
  for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    for (const part of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) labelsOf(`${name}${part}`)
  }
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const knownLabels = labelsOf(name)
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      knownLabels.set(label, (knownLabels.get(label) ?? new Set()).add(value))
    }
  }
}

function labelsOf(name: string): Map<string, Set<string>> {
  const knownLabels = scraped.get(name) ?? new Map<string, Set<string>>()
  scraped.set(name, knownLabels)
  return knownLabels
}

const scrape = () => createMetricsReader(service.services)()

describe('every query of the dashboard and the alerts', () => {
  test('is of a metric that a service has after one track, with labels and values that it has', () => {
    expect(queries.length).toBeGreaterThan(70)
    const mistakes = queries.flatMap(({ place, expr }) =>
      selectorsOf(expr).flatMap(({ name, matchers, grouped }) => {
        if (name === 'up') return []
        const labels = scraped.get(name)
        if (!labels) return [`${place}: no metric ${name}`]
        const used = [...matchers.map(({ label }) => label), ...grouped].filter((label) => !added.includes(label))
        const unknown = used.filter((label) => !labels.has(label))
        const values = matchers.flatMap(({ label, values }) =>
          values
            .filter((value) => !added.includes(label) && !labels.get(label)?.has(value))
            .filter((value) => !ofFailures[label]?.includes(value))
            .map((value) => `${place}: ${name} has no ${label}="${value}"`),
        )
        return [...unknown.map((label) => `${place}: ${name} has no label ${label}`), ...values]
      }),
    )
    expect(mistakes).toEqual([])
  })

  test('is refused by the grammar if it is not closed', () => {
    expect(() => selectorsOf('sum(rate(a_total[1m])')).toThrow('syntax error')
  })

  test('is read by the grammar', () => {
    const text = 'sum by (b) (rate(a_total{c="d",e=~"f|g",h=~"5.."}[$__rate_interval]))'
    const matchers = [
      { label: 'c', values: ['d'] },
      { label: 'e', values: ['f', 'g'] },
      { label: 'h', values: [] },
    ]
    expect(selectorsOf(text)).toEqual([{ name: 'a_total', matchers, grouped: ['b'] }])
  })

  test('covers every metric of the service', () => {
    const used = new Set(
      queries.flatMap(({ expr }) => selectorsOf(expr)).map(({ name }) => name.replace(/_(bucket|sum|count)$/, '')),
    )
    const names = [...scraped.keys()].filter((name) => name.startsWith('tonearm_'))
    const missing = new Set(
      names.map((name) => name.replace(/_(bucket|sum|count)$/, '')).filter((name) => !used.has(name)),
    )
    expect([...missing]).toEqual(['tonearm_queue_oldest_seconds'])
  })
})

describe('every alert', () => {
  const guide = read('src/web/docs/guides/observe.md')

  test('has a section in the guide that its runbook_url names, and the guide has no other', () => {
    const sections = [...guide.matchAll(/^### (Tonearm\w+)$/gm)].map(([, name]) => name)
    expect(sections).not.toBeEmpty()
    expect(sections).toEqual(rules.map(({ alert }) => alert))
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook_url).toBe(`/docs/guides/observe#${alert.toLowerCase()}`)
    }
  })

  test.each(rules.map((rule) => [rule.alert, rule] as const))('%s has a severity and a summary', (_, rule) => {
    expect(['critical', 'warning']).toContain(rule.labels.severity)
    expect(rule.annotations.summary).toMatch(/\.$/)
  })

  test.if(Bun.which('promtool') !== null)('is valid for promtool', () => {
    const { exitCode, stderr } = Bun.spawnSync([
      'promtool',
      'check',
      'rules',
      join(root, '.config/deploy/prometheus/alerts.yaml'),
    ])
    expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: '' })
  })
})

test('the guide lists every metric of the service', () => {
  const guide = read('src/web/docs/guides/observe.md')
  const names = [...scraped.keys()]
    .filter((name) => name.startsWith('tonearm_'))
    .map((name) => name.replace(/_(bucket|sum)$/, ''))
    .filter((name) => !name.endsWith('_count'))
  expect(names.length).toBeGreaterThan(30)
  expect([...new Set(names)].filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
})
