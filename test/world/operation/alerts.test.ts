// Prometheus' own tool runs every alert over series: one that has the cause, and one like a calm day.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json } from '../../support/service.ts'

const RULES = join(import.meta.dir, '../../../.config/deploy/prometheus/alerts.yaml')
const promtool = Bun.which('promtool')
const rules: Json[] = (Bun.YAML.parse(await Bun.file(RULES).text()) as Json).groups.flatMap(
  (group: Json) => group.rules,
)

/** Series by their selectors, each in the notation of promtool: one value in each minute. */
type Series = Record<string, string>

interface Case {
  /** Fires at the minute `fires`, and no more at the minute `resolves`. */
  cause: Series
  /** The minute at which it fires. */
  fires: number
  /** A minute at which it has resolved. */
  resolves: number
  /** Like a calm day, or trouble that no person has to look at: never fires within an hour. */
  calm: Series
}

const REQUESTS = 'tonearm_http_requests_total{job="tonearm",route="/v1/track",method="GET"'
const buckets = (name: string, labels: string, below: [bound: string, values: string][]): Series =>
  Object.fromEntries(below.map(([le, values]) => [`${name}_bucket{${labels}le="${le}"}`, values]))

/** A histogram whose observations are slow for ten minutes: none is below the bound. */
const slowThenFast = (name: string, labels: string, fast: string, slow: string) =>
  buckets(name, labels, [
    [fast, '0x10 0+600x50'],
    [slow, '0+60x10 600+600x50'],
    ['+Inf', '0+60x10 600+600x50'],
  ])
const fast = (name: string, labels: string, bound: string) =>
  buckets(name, labels, [
    [bound, '0+60x60'],
    ['+Inf', '0+60x60'],
  ])

const cases: Record<string, Case> = {
  TonearmDown: {
    cause: { 'up{job="tonearm",instance="a"}': '1x5 0x5 1x50' },
    fires: 9,
    resolves: 12,
    calm: { 'up{job="tonearm",instance="a"}': '1x60' },
  },
  TonearmRestarts: {
    cause: { 'process_start_time_seconds{job="tonearm",instance="a"}': '1 2 3 4 5x60' },
    fires: 5,
    resolves: 30,
    // A deployment.
    calm: { 'process_start_time_seconds{job="tonearm",instance="a"}': '1x30 2x30' },
  },
  TonearmRequestsFail: {
    cause: { [`${REQUESTS},status="200"}`]: '0+100x60', [`${REQUESTS},status="500"}`]: '0+10x10 100x50' },
    fires: 6,
    resolves: 20,
    calm: { [`${REQUESTS},status="200"}`]: '0+100x60', [`${REQUESTS},status="500"}`]: '0x20 3x40' },
  },
  TonearmOperationsFail: {
    cause: { 'tonearm_graphql_errors_total{code="internal"}': '0+30x10 300x50' },
    fires: 6,
    resolves: 20,
    calm: { 'tonearm_graphql_errors_total{code="internal"}': '0x20 5x40' },
  },
  TonearmEdgeFails: {
    cause: {
      'tonearm_edge_requests_total{route="/:file",status="200"}': '0+100x60',
      'tonearm_edge_requests_total{route="/:file",status="503"}': '0+10x10 100x50',
    },
    fires: 6,
    resolves: 20,
    calm: {
      'tonearm_edge_requests_total{route="/:file",status="200"}': '0+100x60',
      'tonearm_edge_requests_total{route="/:file",status="503"}': '0x20 3x40',
    },
  },
  TonearmRequestsSlow: {
    cause: slowThenFast('tonearm_http_request_duration_seconds', 'route="/v1/track",', '1', '5'),
    fires: 8,
    resolves: 20,
    calm: fast('tonearm_http_request_duration_seconds', 'route="/v1/track",', '0.5'),
  },
  TonearmStreamsSlow: {
    cause: slowThenFast('tonearm_http_request_duration_seconds', 'route="/v1/stream/:trackId/:apiKey",', '0.25', '1'),
    fires: 8,
    resolves: 20,
    calm: fast('tonearm_http_request_duration_seconds', 'route="/v1/stream/:trackId/:apiKey",', '0.1'),
  },
  TonearmUploadsWait: {
    cause: { 'tonearm_queue_turn_oldest_seconds{task="process_track",turn="next"}': '0 60 121 180 0x50' },
    fires: 3,
    resolves: 6,
    // A tenant waits for its own uploads.
    calm: { 'tonearm_queue_turn_oldest_seconds{task="process_track",turn="many"}': '0+60x60' },
  },
  TonearmQueueStuck: {
    cause: { 'tonearm_queue_jobs{task="process_track",state="exhausted"}': '1x30 0x30' },
    fires: 16,
    resolves: 35,
    calm: { 'tonearm_queue_jobs{task="process_track",state="exhausted"}': '0x60' },
  },
  TonearmJobsFail: {
    cause: { 'tonearm_jobs_total{task="process_track",outcome="error"}': '0+4x10 40x50' },
    fires: 6,
    resolves: 20,
    calm: {
      'tonearm_jobs_total{task="process_track",outcome="error"}': '0x20 2x40',
      'tonearm_jobs_total{task="process_track",outcome="failed"}': '0+30x60',
      // Organizations take turns, and jobs wait for their tracks.
      'tonearm_jobs_total{task="process_track",outcome="requeued"}': '0+30x60',
      'tonearm_jobs_total{task="transcribe_track",outcome="delayed"}': '0+30x60',
    },
  },
  TonearmTranscriptionsWait: {
    cause: {
      'tonearm_jobs_total{task="transcribe_track",outcome="delayed"}': '0+1x20 20x100',
      'tonearm_jobs_total{task="transcribe_track",outcome="done"}': '7x30 8x90',
    },
    fires: 10,
    resolves: 32,
    calm: {
      'tonearm_jobs_total{task="transcribe_track",outcome="delayed"}': '0+1x60',
      'tonearm_jobs_total{task="transcribe_track",outcome="done"}': '0 1 1 2+1x60',
      'tonearm_jobs_total{task="transcribe_track",outcome="requeued"}': '0+30x60',
    },
  },
  TonearmTracksFail: {
    cause: { 'tonearm_tracks_total{status="ready"}': '0+3x60', 'tonearm_tracks_total{status="error"}': '0+3x20 60x40' },
    fires: 16,
    resolves: 40,
    calm: { 'tonearm_tracks_total{status="ready"}': '0+10x60', 'tonearm_tracks_total{status="error"}': '0+1x60' },
  },
  TonearmEncodesSlow: {
    cause: {
      'tonearm_encode_speed_ratio_sum{codec="aac"}': '0+2x30 60+500x30',
      'tonearm_encode_speed_ratio_count{codec="aac"}': '0+1x60',
    },
    fires: 21,
    resolves: 50,
    calm: {
      'tonearm_encode_speed_ratio_sum{codec="aac"}': '0+50x60',
      'tonearm_encode_speed_ratio_count{codec="aac"}': '0+1x60',
    },
  },
  TonearmStorageFails: {
    cause: { 'tonearm_storage_errors_total{operation="read"}': '0+10x10 100x50' },
    fires: 5,
    resolves: 15,
    // One error is no outage: the work is done again.
    calm: { 'tonearm_storage_errors_total{operation="read"}': '0x20 1x20 2x20' },
  },
  TonearmStorageSlow: {
    cause: slowThenFast('tonearm_storage_operation_duration_seconds', 'operation="read",outcome="done",', '0.5', '2.5'),
    fires: 9,
    resolves: 25,
    calm: fast('tonearm_storage_operation_duration_seconds', 'operation="read",outcome="done",', '0.1'),
  },
  TonearmSpaceLow: {
    cause: { 'tonearm_free_bytes{instance="a",place="storage"}': '9e9x10 60e9x50' },
    fires: 3,
    resolves: 12,
    calm: { 'tonearm_free_bytes{instance="a",place="storage"}': '60e9x60' },
  },
  TonearmSpaceFills: {
    cause: { 'tonearm_free_bytes{instance="a",place="storage"}': '45e9-200e6x90 300e9x30' },
    fires: 60,
    resolves: 95,
    // Large uploads in the first minutes, and then none.
    calm: { 'tonearm_free_bytes{instance="a",place="storage"}': '49e9-1e9x8 41e9x52' },
  },
  TonearmDatabaseAway: {
    cause: { 'tonearm_database_acquire_errors_total{instance="a"}': '0+20x10 200x50' },
    fires: 5,
    resolves: 15,
    calm: { 'tonearm_database_acquire_errors_total{instance="a"}': '0x20 1x40' },
  },
  TonearmDatabaseWaits: {
    cause: {
      ...slowThenFast('tonearm_database_acquire_duration_seconds', 'instance="a",', '0.1', '1'),
      'tonearm_database_waiting{instance="a"}': '5x10 0x50',
    },
    fires: 6,
    resolves: 15,
    calm: {
      ...slowThenFast('tonearm_database_acquire_duration_seconds', 'instance="a",', '0.1', '1'),
      'tonearm_database_waiting{instance="a"}': '0x60',
    },
  },
  TonearmWebhooksLate: {
    cause: { 'tonearm_webhook_oldest_seconds{endpoints="ok"}': '0 61+60x9 0x50' },
    fires: 5,
    resolves: 15,
    // The receiver is away.
    calm: { 'tonearm_webhook_oldest_seconds{endpoints="failing"}': '0+60x60' },
  },
  TonearmWebhooksFail: {
    cause: {
      'tonearm_webhook_attempts_total{outcome="failed"}': '0+10x10 100x50',
      'tonearm_webhook_attempts_total{outcome="delivered"}': '0x10 0+10x50',
    },
    fires: 6,
    resolves: 25,
    calm: {
      'tonearm_webhook_attempts_total{outcome="failed"}': '0+10x60',
      'tonearm_webhook_attempts_total{outcome="delivered"}': '0+10x60',
    },
  },
  TonearmBlocked: {
    cause: { 'nodejs_eventloop_lag_p99_seconds{job="tonearm",instance="a"}': '0.5x10 0.01x50' },
    fires: 3,
    resolves: 12,
    calm: { 'nodejs_eventloop_lag_p99_seconds{job="tonearm",instance="a"}': '0.05x60' },
  },
  TonearmClockSkew: {
    cause: { 'tonearm_clock_skew_seconds{instance="a"}': '-9x10 0x50' },
    fires: 3,
    resolves: 12,
    calm: { 'tonearm_clock_skew_seconds{instance="a"}': '1x60' },
  },
  TonearmBackupTooOld: {
    // Times of promtool begin at 0: the backup is 37 hours old, and is followed by one at the minute 40.
    cause: { tonearm_backup_last_success_timestamp_seconds: '-133200x39 2400x20' },
    fires: 31,
    resolves: 42,
    // The latest of several processes counts.
    calm: {
      'tonearm_backup_last_success_timestamp_seconds{instance="a"}': '-86400x60',
      'tonearm_backup_last_success_timestamp_seconds{instance="b"}': '-864000x60',
    },
  },
  TonearmSignInAttack: {
    // A series that begins at 0: the first burst is seen.
    cause: { 'tonearm_sign_in_failures_total{reason="limited"}': '0x5 56x60' },
    fires: 6,
    resolves: 20,
    calm: { 'tonearm_sign_in_failures_total{reason="wrong"}': '0+10x60' },
  },
  TonearmClientsLimited: {
    cause: {
      'tonearm_rate_limited_requests_total{limit="key"}': '0+10x15 150x50',
      'tonearm_http_requests_total{route="/v1/track",status="200"}': '0+100x65',
    },
    fires: 8,
    resolves: 30,
    calm: {
      'tonearm_rate_limited_requests_total{limit="key"}': '0+1x60',
      'tonearm_http_requests_total{route="/v1/track",status="200"}': '0+100x60',
    },
  },
}

test('every alert has a case', () => {
  expect(Object.keys(cases).sort()).toEqual(rules.map(({ alert }) => alert).sort())
})

describe.skipIf(!promtool)('promtool (Debian: prometheus)', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tonearm-alerts-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  /** Runs an alert over series. @throws with promtool's report when it fires at another minute than these, or not at one of them */
  async function expectFiring(alert: string, series: Series, minutes: number[], firing: number[]): Promise<void> {
    const group = {
      interval: '15s',
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values: toScrapes(values) })),
      promql_expr_test: minutes.map((minute) => ({
        expr: `clamp_max(count(ALERTS{alertname="${alert}",alertstate="firing"}), 1) or vector(0)`,
        eval_time: `${minute}m`,
        exp_samples: [{ labels: '{}', value: firing.includes(minute) ? 1 : 0 }],
      })),
    }
    const file = join(folder, `${crypto.randomUUID()}.json`)
    await Bun.write(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '15s', tests: [group] }))
    const child = Bun.spawn([promtool ?? '', 'test', 'rules', file], { stdout: 'pipe', stderr: 'pipe' })
    const report = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text())
    if ((await child.exited) !== 0) throw new Error(report)
  }

  test('accepts the rules', async () => {
    const child = Bun.spawn([promtool ?? '', 'check', 'rules', RULES], { stdout: 'pipe', stderr: 'pipe' })
    expect(await new Response(child.stderr).text()).toBe('')
    expect(await child.exited).toBe(0)
  })

  test('accepts the configuration of Prometheus, with its rules', async () => {
    const file = join(RULES, '../prometheus.yaml')
    const child = Bun.spawn([promtool ?? '', 'check', 'config', file], { stdout: 'pipe', stderr: 'pipe' })
    const report = await new Response(child.stdout).text()
    expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ''])
    expect(report).toContain(`${rules.length} rules found`)
  })

  test.each(Object.entries(cases))('%s fires for its cause, and resolves', (alert, { cause, fires, resolves }) =>
    expectFiring(alert, cause, [0, fires, resolves], [fires]),
  )

  test.each(Object.entries(cases))('%s is silent on a calm day', (alert, { calm }) =>
    expectFiring(
      alert,
      calm,
      Array.from({ length: 60 }, (_, minute) => minute),
      [],
    ),
  )
})

/** Spreads the values of minutes over scrapes of 15 seconds: a step of 4 a minute is one of 1 a scrape. */
function toScrapes(values: string): string {
  return values
    .split(' ')
    .map((part) => {
      const [, start = '', step, count = '0'] =
        /^(-?[\d.]+(?:e\d+)?)([+-][\d.]+(?:e\d+)?)?(?:x(\d+))?$/.exec(part) ?? []
      const scrapes = 4 * Math.max(1, Number(count)) - 1
      const change = Number(step ?? 0) / 4
      return `${Number(start)}${change < 0 ? '' : '+'}${change}x${scrapes}`
    })
    .join(' ')
}
