import { describe, expect, test } from 'bun:test'
import { availableParallelism } from 'node:os'
import { loadConfig, OperatorError, readSettings } from '../src/config.ts'

const SECRET = 's'.repeat(32)
const DATABASE_URL = 'postgres://user:password@db.test:5432/tonearm'
const S3 = {
  STORAGE: 's3',
  S3_ENDPOINT: 'http://s3.test:9000',
  S3_BUCKET: 'tonearm',
  S3_REGION: 'us-east-1',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'secret',
}

function mistakes(env: Record<string, string>): string {
  try {
    loadConfig(env)
  } catch (error) {
    expect(error).toBeInstanceOf(OperatorError)
    return (error as Error).message
  }
  return ''
}

describe('defaults (operating.md, Environment)', () => {
  test('nothing has to be set', () => {
    expect(loadConfig({})).toEqual({
      host: '127.0.0.1',
      port: 3000,
      edgePort: 3001,
      metricsPort: null,
      publicUrl: 'http://localhost:3000',
      edgeUrl: 'http://localhost:3001',
      deliveryUrl: 'http://{org_domain}',
      roles: ['gateway', 'edge', 'worker'],
      webConcurrency: 1,
      workers: availableParallelism(),
      dataDir: './.data',
      databaseUrl: undefined,
      databaseDirectUrl: undefined,
      databaseReadUrl: undefined,
      databaseReadMaxLagSeconds: 1,
      isEmbedded: true,
      storage: { kind: 'file' },
      secret: undefined,
      ffmpeg: undefined,
      ffprobe: undefined,
      maxUploadBytes: 2_147_483_648,
      isAccelerated: false,
      isWebhookPrivateAllowed: true,
      isSourcePrivateAllowed: true,
      isRateLimited: false,
      trustedProxies: 0,
      countryHeader: undefined,
      isAudienceKept: false,
      listeningSample: 0,
      transcription: undefined,
      oidc: undefined,
      logLevel: 'info',
      tracing: null,
      logStreamSample: 0.01,
      logFormat: undefined,
      isDemo: true,
      hasDemoAlbum: true,
      isIntrospectionOn: true,
      graphqlTimeoutSeconds: 15,
      graphqlPersisted: 'allow',
      graphqlPersistedFile: undefined,
      isGraphiql: true,
      isDocs: true,
      subscriptionCheckSeconds: 30,
      deletedFilesKeptDays: 7,
      eventsKeptDays: 30,
      activityKeptDays: 365,
      playsKeptMonths: 13,
      isPlaysArchived: false,
      backup: {
        to: undefined,
        at: '03:00',
        keep: 14,
        hasSecret: false,
        s3: { endpoint: undefined, region: undefined, accessKeyId: undefined, secretAccessKey: undefined },
      },
    })
  })

  test('defaults that differ with an external database', () => {
    const {
      deliveryUrl,
      isWebhookPrivateAllowed,
      isSourcePrivateAllowed,
      isRateLimited,
      isDemo,
      hasDemoAlbum,
      isEmbedded,
    } = loadConfig({ DATABASE_URL, SECRET })
    expect({
      deliveryUrl,
      isWebhookPrivateAllowed,
      isSourcePrivateAllowed,
      isRateLimited,
      isDemo,
      hasDemoAlbum,
      isEmbedded,
    }).toEqual({
      deliveryUrl: 'https://{org_domain}',
      isSourcePrivateAllowed: false,
      isWebhookPrivateAllowed: false,
      isRateLimited: true,
      isDemo: false,
      hasDemoAlbum: false,
      isEmbedded: false,
    })
  })

  test('addresses follow the ports', () => {
    const { edgePort, publicUrl, edgeUrl } = loadConfig({ PORT: '8080' })
    expect({ edgePort, publicUrl, edgeUrl }).toEqual({
      edgePort: 8081,
      publicUrl: 'http://localhost:8080',
      edgeUrl: 'http://localhost:8081',
    })
    expect(loadConfig({ PORT: '8080', EDGE_PORT: '9000' }).edgeUrl).toBe('http://localhost:9000')
  })

  test('trailing slashes of addresses are removed', () => {
    const { publicUrl, edgeUrl } = loadConfig({ PUBLIC_URL: 'https://api.test/', EDGE_URL: 'https://up.test/x/' })
    expect([publicUrl, edgeUrl]).toEqual(['https://api.test', 'https://up.test/x'])
  })

  test('an empty variable counts as not set', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: '', ROLES: '', SECRET: '' }).port).toBe(3000)
  })

  test('the result cannot be changed', () => {
    expect(Object.isFrozen(loadConfig({}))).toBe(true)
  })
})

describe('values', () => {
  test.each([
    ['on', true],
    ['TRUE', true],
    ['1', true],
    ['off', false],
    ['false', false],
    ['0', false],
  ])('a switch may be %s', (value, expected) => {
    const { isRateLimited, isWebhookPrivateAllowed, isDemo } = loadConfig({
      RATE_LIMITS: value,
      WEBHOOK_ALLOW_PRIVATE: value,
      DEMO: value,
    })
    expect([isRateLimited, isWebhookPrivateAllowed, isDemo]).toEqual([expected, expected, expected])
  })

  test.each([
    ['on', { isDemo: true, hasDemoAlbum: true }],
    ['empty', { isDemo: true, hasDemoAlbum: false }],
    ['off', { isDemo: false, hasDemoAlbum: false }],
  ])('the demo is %s', (DEMO, expected) => {
    expect(loadConfig({ DEMO })).toMatchObject(expected)
    expect(loadConfig({ DEMO, DATABASE_URL, SECRET })).toMatchObject(expected)
  })

  test('roles are a list', () => {
    expect(loadConfig({ ROLES: 'edge, worker', DATABASE_URL, SECRET }).roles).toEqual(['edge', 'worker'])
  })

  test('an external issuer is kept exactly', () => {
    const { oidc } = loadConfig({ OIDC_ISSUER: 'https://login.test/', OIDC_AUDIENCE: 'tonearm' })
    expect(oidc).toEqual({
      issuer: 'https://login.test/',
      audience: 'tonearm',
      jwksUrl: undefined,
      isEmailTrusted: false,
      client: undefined,
    })
    const client = { OIDC_CLIENT_ID: 'studio', OIDC_CLIENT_SECRET: 'secret' }
    const settings = { OIDC_ISSUER: 'https://login.test/', OIDC_AUDIENCE: 'tonearm' }
    expect(loadConfig({ ...settings, ...client }).oidc?.client).toEqual({
      id: 'studio',
      secret: 'secret',
      name: 'login.test',
    })
    expect(loadConfig({ ...settings, ...client, OIDC_NAME: ' Example ' }).oidc?.client?.name).toBe('Example')
  })

  test('a bucket', () => {
    expect(loadConfig(S3).storage).toEqual({
      kind: 's3',
      endpoint: 'http://s3.test:9000',
      publicEndpoint: 'http://s3.test:9000',
      bucket: 'tonearm',
      region: 'us-east-1',
      accessKeyId: 'id',
      secretAccessKey: 'secret',
    })
  })
})

describe('mistakes', () => {
  const wrong: [name: string, value: string][] = [
    ['PORT', 'eighty'],
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '30.5'],
    ['EDGE_PORT', '-1'],
    ['METRICS_PORT', '65536'],
    ['PUBLIC_URL', 'localhost:3000'],
    ['PUBLIC_URL', 'ftp://x.test'],
    ['EDGE_URL', 'no address'],
    ['DELIVERY_URL', 'https://cdn.test'],
    ['ROLES', 'gateway,chef'],
    ['WORKERS', '0'],
    ['WORKERS', 'many'],
    ['WEB_CONCURRENCY', '0'],
    ['WEB_CONCURRENCY', '65'],
    ['WEB_CONCURRENCY', '1.5'],
    ['WEB_CONCURRENCY', 'auto'],
    ['DATABASE_URL', 'mysql://x.test/db'],
    ['STORAGE', 'tape'],
    ['SECRET', 'short'],
    ['MAX_UPLOAD_BYTES', '0'],
    ['MAX_UPLOAD_BYTES', '2G'],
    ['WEBHOOK_ALLOW_PRIVATE', 'maybe'],
    ['RATE_LIMITS', 'some'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_FORMAT', 'xml'],
    ['LOG_STREAM_SAMPLE', '1.1'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'Bearer'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%zz'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
    ['GRAPHQL_INTROSPECTION', 'maybe'],
    ['GRAPHQL_TIMEOUT_SECONDS', '0'],
    ['GRAPHQL_TIMEOUT_SECONDS', '121'],
    ['GRAPHQL_PERSISTED', 'some'],
    ['DELETED_FILES_KEPT_DAYS', '-1'],
    ['TRUSTED_PROXIES', '-1'],
    ['TRUSTED_PROXIES', 'yes'],
    ['TRUSTED_PROXIES', '1.5'],
    ['OIDC_ISSUER', 'login.test'],
    ['OIDC_JWKS_URL', 'file:///keys'],
  ]
  test.each(wrong)('%s=%s stops the start and is named', (name, value) => {
    expect(mistakes({ [name]: value })).toContain(`${name}: `)
  })

  test('SECRET is required with DATABASE_URL', () => {
    expect(mistakes({ DATABASE_URL })).toContain('SECRET: ')
  })

  test('EDGE_ACCEL is for a folder', () => {
    expect(loadConfig({ EDGE_ACCEL: 'nginx' }).isAccelerated).toBe(true)
    expect(mistakes({ EDGE_ACCEL: 'apache' })).toContain('EDGE_ACCEL: must be nginx')
    expect(mistakes({ ...S3, EDGE_ACCEL: 'nginx' })).toContain('EDGE_ACCEL: is for STORAGE=file')
  })

  test('DATABASE_DIRECT_URL is for a pooler in DATABASE_URL', () => {
    expect(mistakes({ DATABASE_DIRECT_URL: DATABASE_URL })).toContain(
      'DATABASE_URL: is required with DATABASE_DIRECT_URL',
    )
    expect(mistakes({ DATABASE_URL, SECRET, DATABASE_DIRECT_URL: 'mysql://x.test/db' })).toContain(
      'DATABASE_DIRECT_URL: ',
    )
    const config = loadConfig({ DATABASE_URL, SECRET, DATABASE_DIRECT_URL: `${DATABASE_URL}_direct` })
    expect(config.databaseDirectUrl).toBe(`${DATABASE_URL}_direct`)
  })

  test('a process with single roles needs DATABASE_URL', () => {
    expect(mistakes({ ROLES: 'edge' })).toContain('DATABASE_URL')
  })

  test('several processes share ports on Linux only', () => {
    const of = (platform: NodeJS.Platform, WEB_CONCURRENCY: string) =>
      readSettings({ WEB_CONCURRENCY }, platform).mistakes
    expect([of('linux', '2'), of('darwin', '1')]).toEqual([[], []])
    expect(of('darwin', '2')).toEqual(['WEB_CONCURRENCY: more than 1 requires Linux'])
  })

  test('GRAPHQL_PERSISTED=only requires a file', () => {
    expect(mistakes({ GRAPHQL_PERSISTED: 'only' })).toContain('GRAPHQL_PERSISTED_FILE: ')
  })

  test('an external issuer needs an audience, and differs from PUBLIC_URL', () => {
    const OIDC_ISSUER = 'https://login.test/'
    expect(mistakes({ OIDC_ISSUER })).toContain('OIDC_AUDIENCE: ')
    for (const name of ['OIDC_AUDIENCE', 'OIDC_JWKS_URL', 'OIDC_CLIENT_ID']) {
      expect(mistakes({ [name]: 'https://x.test' })).toContain('OIDC_ISSUER: ')
    }
    const PUBLIC_URL = 'https://login.test'
    expect(mistakes({ OIDC_ISSUER: PUBLIC_URL, OIDC_AUDIENCE: 'x', PUBLIC_URL })).toContain('OIDC_ISSUER: ')
    expect(mistakes({ OIDC_ISSUER: PUBLIC_URL, OIDC_AUDIENCE: 'x', PUBLIC_URL: `${PUBLIC_URL}/` })).toContain(
      'OIDC_ISSUER: ',
    )
  })

  test('the two ports differ', () => {
    expect(mistakes({ PORT: '4000', EDGE_PORT: '4000' })).toContain('EDGE_PORT: ')
    expect(mistakes({ PORT: '65535' })).toContain('EDGE_PORT: ')
    for (const METRICS_PORT of ['3000', '3001']) {
      expect(mistakes({ METRICS_PORT }), METRICS_PORT).toContain('METRICS_PORT: must differ')
    }
    expect(mistakes({ PORT: '4000', EDGE_PORT: '4100', METRICS_PORT: '4100' })).toContain('METRICS_PORT: must differ')
    expect(loadConfig({ METRICS_PORT: '3002' }).metricsPort).toBe(3002)
  })

  test.each(Object.keys(S3).filter((name) => name !== 'STORAGE'))('a bucket needs %s', (name) => {
    const { [name as 'S3_BUCKET']: _, ...rest } = S3
    const message = mistakes(rest)
    expect(message).toContain(`${name}: `)
    expect(message.match(/S3_/g)).toHaveLength(1)
  })

  test.each([
    ['BACKUP_TO', 'backups'],
    ['BACKUP_AT', '24:00'],
    ['BACKUP_AT', '3:00'],
    ['BACKUP_KEEP', '0'],
  ])('%s is not %s', (name, value) => {
    expect(mistakes({ [name]: value })).toContain(`${name}: must be`)
  })

  test('backups in a bucket need its settings or those of the storage', () => {
    const BACKUP_TO = 's3://backups/tonearm'
    for (const name of ['ENDPOINT', 'REGION', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY']) {
      expect(mistakes({ BACKUP_TO })).toContain(`BACKUP_S3_${name}: is required`)
    }
    const { backup } = loadConfig({ ...S3, BACKUP_TO, BACKUP_S3_ACCESS_KEY_ID: 'other' })
    expect(backup.s3).toMatchObject({ endpoint: S3.S3_ENDPOINT, accessKeyId: 'other' })
  })

  test('an upload into a bucket is one object of at most 5 GiB', () => {
    expect(loadConfig({ ...S3, MAX_UPLOAD_BYTES: '5368709120' }).maxUploadBytes).toBe(5_368_709_120)
    const message = mistakes({ ...S3, MAX_UPLOAD_BYTES: '5368709121' })
    expect(message).toContain('MAX_UPLOAD_BYTES: must be at most 5368709120 with STORAGE=s3')
    expect(loadConfig({ MAX_UPLOAD_BYTES: '5368709121' }).maxUploadBytes).toBe(5_368_709_121)
  })

  test('one message lists every mistake', () => {
    const message = mistakes({ PORT: 'x', LOG_LEVEL: 'loud', WORKERS: '-3', SECRET: 'short', STORAGE: 'tape' })
    const wrong = ['PORT', 'LOG_LEVEL', 'WORKERS', 'SECRET', 'STORAGE']
    expect(wrong.filter((name) => !message.includes(`  ${name}: `))).toEqual([])
  })

  test('mistakes between two variables are listed too', () => {
    const message = mistakes({ DATABASE_URL, STORAGE: 's3', LOG_LEVEL: 'loud' })
    const wrong = ['LOG_LEVEL', 'SECRET', 'S3_BUCKET', 'S3_ENDPOINT']
    expect(wrong.filter((name) => !message.includes(`  ${name}: `))).toEqual([])
  })

  test('a message never repeats a secret', () => {
    expect(mistakes({ SECRET: 'hunter2', DATABASE_URL: 'mysql://root:hunter2@x.test' })).not.toContain('hunter2')
  })
})
