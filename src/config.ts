import { availableParallelism } from 'node:os'
import { z } from 'zod'

/** A mistake of the operator, printed without a stack trace. */
export class OperatorError extends Error {
  override name = 'OperatorError'
}

export const roles = ['gateway', 'edge', 'worker'] as const
export type Role = (typeof roles)[number]

const port = z.coerce.number().int().min(1).max(65_535)
const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform(trimTrailingSlashes)
const postgresUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' })
const flag = z
  .string()
  .regex(/^(true|false|on|off|1|0|yes|no)$/i, 'must be on or off')
  .transform((value) => /^(true|on|1|yes)$/i.test(value))

/** A switch, or `empty`. */
const demo = z.union(
  [
    z.literal('empty').transform(() => ({ isOn: true, hasAlbum: false })),
    flag.transform((isOn) => ({ isOn, hasAlbum: isOn })),
  ],
  { error: 'must be on, empty or off' },
)

/** `name=value` pairs, separated by commas, percent-encoded (W3C Baggage). */
const pairs = z.string().transform((text, ctx): Record<string, string> => {
  try {
    const parts = text.split(',').filter((pair) => pair.trim() !== '')
    return Object.fromEntries(
      parts.map((pair) => {
        const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? []
        if (name === '') throw new Error(pair)
        return [name, decodeURIComponent(value)]
      }),
    )
  } catch {
    ctx.addIssue({ code: 'custom', message: 'must be name=value pairs, separated by commas' })
    return z.NEVER
  }
})

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

const environment = z.object({
  PORT: port.default(3000),
  HOST: z.string().default('127.0.0.1'),
  EDGE_PORT: port.optional(),
  METRICS_PORT: port.optional(),
  PUBLIC_URL: httpUrl.optional(),
  EDGE_URL: httpUrl.optional(),
  DELIVERY_URL: z
    .string()
    .regex(/^https?:\/\/\{org_domain\}$/, 'must be http://{org_domain} or https://{org_domain}')
    .optional(),
  ROLES: z
    .string()
    .transform((value) => value.split(',').map((role) => role.trim()))
    .pipe(z.array(z.enum(roles, { error: `must be a list of ${roles.join(', ')}` })).min(1))
    .default([...roles]),
  WEB_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(1),
  WORKERS: z.coerce.number().int().min(1).max(256).default(availableParallelism()),
  DATA_DIR: z.string().default('./.data'),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_DIRECT_URL: postgresUrl.optional(),
  DATABASE_READ_URL: postgresUrl.optional(),
  DATABASE_READ_MAX_LAG_SECONDS: z.coerce.number().min(0.01).max(60).default(1),
  STORAGE: z.enum(['file', 's3'], { error: 'must be file or s3' }).default('file'),
  S3_ENDPOINT: httpUrl.optional(),
  S3_PUBLIC_ENDPOINT: httpUrl.optional(),
  S3_BUCKET: z.string().optional(),
  S3_REGION: z.string().optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  SECRET: z.string().min(32, 'must have 32 characters or more').optional(),
  FFMPEG: z.string().optional(),
  FFPROBE: z.string().optional(),
  EDGE_ACCEL: z.enum(['nginx'], { error: 'must be nginx' }).optional(),
  MAX_UPLOAD_BYTES: z.coerce.number().int().min(1).default(2_147_483_648),
  WEBHOOK_ALLOW_PRIVATE: flag.optional(),
  SOURCE_ALLOW_PRIVATE: flag.optional(),
  RATE_LIMITS: flag.optional(),
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(16).default(0),
  COUNTRY_HEADER: z
    .string()
    .regex(/^[\w-]{1,100}$/, 'must be the name of a header')
    .optional(),
  AUDIENCE: flag.default(false),
  LISTENING_SAMPLE: z.coerce.number().min(0).max(1).default(0),
  TRANSCRIBE_URL: httpUrl.optional(),
  TRANSCRIBE_KEY: z.string().min(1).optional(),
  TRANSCRIBE_MODEL: z.string().min(1).default('whisper-1'),
  TRANSCRIBE_LANGUAGE: z
    .string()
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/, 'must be a BCP 47 tag such as en or de-AT')
    .optional(),
  TRANSCRIBE_PROMPT: z.string().max(1000).default(''),
  TRANSCRIBE_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(2),
  TRANSCRIBE_MAX_HOURS: z.coerce.number().min(0).max(1_000_000).default(100),
  // Compared exactly with the issuer of tokens, so a trailing slash is kept.
  OIDC_ISSUER: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  OIDC_AUDIENCE: z.string().optional(),
  OIDC_JWKS_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  OIDC_TRUST_EMAIL: flag.optional(),
  OIDC_CLIENT_ID: z.string().min(1).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  OIDC_NAME: z.string().trim().min(1).max(60).optional(),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'must be trace, debug, info, warn, error, fatal or silent',
    })
    .default('info'),
  LOG_FORMAT: z.enum(['pretty', 'json'], { error: 'must be pretty or json' }).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/protobuf', 'http/json'], { error: 'must be http/protobuf or http/json' })
    .default('http/protobuf'),
  OTEL_EXPORTER_OTLP_HEADERS: pairs.default({}),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_RESOURCE_ATTRIBUTES: pairs.default({}),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers, { error: `must be one of ${samplers.join(', ')}` })
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  OTEL_SDK_DISABLED: flag.default(false),
  LOG_STREAM_SAMPLE: z.coerce.number().min(0).max(1).default(0.01),
  DEMO: demo.optional(),
  GRAPHQL_INTROSPECTION: flag.default(true),
  GRAPHQL_TIMEOUT_SECONDS: z.coerce.number().int().min(1).max(120).default(15),
  GRAPHQL_PERSISTED: z.enum(['off', 'allow', 'only'], { error: 'must be off, allow or only' }).default('allow'),
  GRAPHQL_PERSISTED_FILE: z.string().optional(),
  GRAPHIQL: flag.default(true),
  DOCS: flag.default(true),
  SUBSCRIPTION_CHECK_SECONDS: z.coerce.number().min(0.1).max(60).default(30),
  DELETED_FILES_KEPT_DAYS: z.coerce.number().min(0).max(3650).default(7),
  // Deliveries of webhooks are retried for more than a day.
  EVENTS_KEPT_DAYS: z.coerce.number().min(2).max(3650).default(30),
  ACTIVITY_KEPT_DAYS: z.coerce.number().min(1).max(3650).default(365),
  // Usage defaults to the last 30 days.
  PLAYS_KEPT_MONTHS: z.coerce.number().int().min(2).max(1200).default(13),
  PLAYS_ARCHIVE: flag.default(false),
  BACKUP_TO: z
    .string()
    .regex(/^(\/|s3:\/\/.)/, 'must be a folder that begins with /, or s3://BUCKET/PREFIX')
    .optional(),
  BACKUP_AT: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 03:00, UTC')
    .default('03:00'),
  BACKUP_KEEP: z.coerce.number().int().min(1).max(1000).default(14),
  BACKUP_SECRET: flag.default(false),
  BACKUP_S3_ENDPOINT: httpUrl.optional(),
  BACKUP_S3_REGION: z.string().optional(),
  BACKUP_S3_ACCESS_KEY_ID: z.string().optional(),
  BACKUP_S3_SECRET_ACCESS_KEY: z.string().optional(),
})

/** 5 GiB: S3 takes no larger object by one PUT. */
const MAX_OBJECT_BYTES = 5_368_709_120

const transcribeSettings = [
  'TRANSCRIBE_KEY',
  'TRANSCRIBE_MODEL',
  'TRANSCRIBE_LANGUAGE',
  'TRANSCRIBE_PROMPT',
  'TRANSCRIBE_CONCURRENCY',
  'TRANSCRIBE_MAX_HOURS',
]

/** Finds mistakes between two variables, even if single ones are invalid. */
function mistakesBetween(env: Record<string, string | undefined>, platform: NodeJS.Platform): string[] {
  const ownRoles = env.ROLES?.split(',').map((role) => role.trim())
  const required = (name: string, isNeeded: boolean, setting: string) =>
    isNeeded && !env[name] ? [`${name}: is required with ${setting}`] : []
  return [
    ...required('SECRET', Boolean(env.DATABASE_URL), 'DATABASE_URL'),
    ...required('DATABASE_URL', Boolean(ownRoles && !roles.every((role) => ownRoles.includes(role))), 'single ROLES'),
    ...required('GRAPHQL_PERSISTED_FILE', env.GRAPHQL_PERSISTED === 'only', 'GRAPHQL_PERSISTED=only'),
    ...['DATABASE_DIRECT_URL', 'DATABASE_READ_URL'].flatMap((name) =>
      required('DATABASE_URL', Boolean(env[name]), name),
    ),
    ...required('EDGE_PORT', env.PORT === '65535', 'PORT 65535'),
    // Other systems send all connections to one of the processes that share a port.
    ...(Number(env.WEB_CONCURRENCY ?? 1) > 1 && platform !== 'linux'
      ? ['WEB_CONCURRENCY: more than 1 requires Linux']
      : []),
    ...required('OIDC_AUDIENCE', Boolean(env.OIDC_ISSUER), 'OIDC_ISSUER'),
    ...['OIDC_AUDIENCE', 'OIDC_JWKS_URL', 'OIDC_TRUST_EMAIL', 'OIDC_CLIENT_ID'].flatMap((name) =>
      required('OIDC_ISSUER', Boolean(env[name]) && !env.OIDC_ISSUER, name),
    ),
    ...transcribeSettings.flatMap((name) => required('TRANSCRIBE_URL', Boolean(env[name]), name)),
    ...['OIDC_CLIENT_SECRET', 'OIDC_NAME'].flatMap((name) =>
      required('OIDC_CLIENT_ID', Boolean(env[name]) && !env.OIDC_CLIENT_ID, name),
    ),
    ...(env.OIDC_ISSUER && env.OIDC_ISSUER === trimTrailingSlashes(env.PUBLIC_URL ?? '')
      ? ['OIDC_ISSUER: must differ from PUBLIC_URL']
      : []),
    ...(env.EDGE_PORT && env.EDGE_PORT === (env.PORT ?? '3000') ? ['EDGE_PORT: must differ from PORT'] : []),
    ...(env.METRICS_PORT &&
    [env.PORT ?? '3000', env.EDGE_PORT ?? String(Number(env.PORT ?? 3000) + 1)].includes(env.METRICS_PORT)
      ? ['METRICS_PORT: must differ from PORT and EDGE_PORT']
      : []),
    ...['S3_ENDPOINT', 'S3_BUCKET', 'S3_REGION', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'].flatMap((name) =>
      required(name, env.STORAGE === 's3', 'STORAGE=s3'),
    ),
    ...['BACKUP_S3_ENDPOINT', 'BACKUP_S3_REGION', 'BACKUP_S3_ACCESS_KEY_ID', 'BACKUP_S3_SECRET_ACCESS_KEY'].flatMap(
      (name) =>
        env.BACKUP_TO?.startsWith('s3:') && !env[name] && !env[name.replace('BACKUP_', '')]
          ? [`${name}: is required with BACKUP_TO=s3://…, unless ${name.replace('BACKUP_', '')} is set`]
          : [],
    ),
    ...(env.STORAGE === 's3' && env.EDGE_ACCEL ? ['EDGE_ACCEL: is for STORAGE=file'] : []),
    ...(env.STORAGE === 's3' && Number(env.MAX_UPLOAD_BYTES) > MAX_OBJECT_BYTES
      ? [`MAX_UPLOAD_BYTES: must be at most ${MAX_OBJECT_BYTES} with STORAGE=s3`]
      : []),
  ]
}

export type Config = ReturnType<typeof toConfig>

type Environment = Record<string, string | undefined>

/**
 * Parses the settings of a process. Empty variables count as not set.
 * @throws OperatorError with one line per mistake
 * @see operating.md, Environment
 */
export function loadConfig(env: Environment): Config {
  const { config, mistakes } = readSettings(env)
  if (mistakes.length === 0) return config
  throw new OperatorError(`The settings are invalid:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`)
}

/**
 * Parses the settings of a process without failing. Invalid ones count as not set.
 * @returns the mistakes, which begin with the names of their settings, and the names of the settings that are set
 */
export function readSettings(
  env: Environment,
  platform = process.platform,
): { config: Config; mistakes: string[]; names: string[] } {
  const settings = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const issues = environment.safeParse(settings).error?.issues ?? []
  const single = issues.map((issue) => `${String(issue.path[0])}: ${toRule(issue)}`)
  const mistakes = [...new Set([...single, ...mistakesBetween(settings, platform)])]
  const invalid = new Set(issues.map(({ path }) => path[0]))
  const valid = Object.fromEntries(Object.entries(settings).filter(([name]) => !invalid.has(name)))
  const names = Object.keys(environment.shape).filter((name) => name in settings)
  return { config: toConfig(environment.parse(valid)), mistakes, names }
}

/** A number that breaks a limit has the schema's own message. */
function toRule(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_big' && issue.origin !== 'string') return `must be at most ${issue.maximum}`
  if (issue.code === 'too_small' && issue.origin === 'number') return `must be at least ${issue.minimum}`
  if (issue.code === 'invalid_type' && issue.expected === 'number') return 'must be a number'
  if (issue.code === 'invalid_type' && issue.expected === 'int') return 'must be a whole number'
  return issue.message
}

function toOidcSettings(e: z.infer<typeof environment>, issuer: string) {
  return {
    issuer,
    audience: e.OIDC_AUDIENCE ?? '',
    jwksUrl: e.OIDC_JWKS_URL,
    /** Whether a token without `email_verified` has a verified address. */
    isEmailTrusted: e.OIDC_TRUST_EMAIL ?? false,
    /** This service at the issuer, for the sign-in of people. Undefined: the pages offer none. */
    client:
      e.OIDC_CLIENT_ID === undefined
        ? undefined
        : {
            id: e.OIDC_CLIENT_ID,
            secret: e.OIDC_CLIENT_SECRET,
            /** Name of the issuer on the button. */
            name: e.OIDC_NAME ?? new URL(issuer).hostname,
          },
  }
}

function toTranscriptionSettings(e: z.infer<typeof environment>, address: string) {
  const endpoint = address.replace(/(\/v1)?(\/audio\/transcriptions)?$/, '/v1/audio/transcriptions')
  return {
    /** The server, as `SpeechProvider` describes it. */
    provider: { url: endpoint, key: e.TRANSCRIBE_KEY, model: e.TRANSCRIBE_MODEL },
    /** Language of recordings for which none is given. Undefined: the server recognizes it. */
    language: e.TRANSCRIBE_LANGUAGE,
    /** Names and terms of all recordings. */
    prompt: e.TRANSCRIBE_PROMPT,
    /** Number of requests that a worker has sent at once. */
    concurrency: e.TRANSCRIBE_CONCURRENCY,
    /** Sound of an organization in a calendar month, in seconds. */
    maxSecondsOfMonth: e.TRANSCRIBE_MAX_HOURS * 3600,
  }
}

function toConfig(e: z.infer<typeof environment>) {
  const isEmbedded = !e.DATABASE_URL
  const edgePort = e.EDGE_PORT ?? e.PORT + 1
  return Object.freeze({
    host: e.HOST,
    port: e.PORT,
    edgePort,
    /** Own port of the metrics. Null: they are on `port`. */
    metricsPort: e.METRICS_PORT ?? null,
    publicUrl: e.PUBLIC_URL ?? `http://localhost:${e.PORT}`,
    edgeUrl: e.EDGE_URL ?? `http://localhost:${edgePort}`,
    /** With `{org_domain}` as placeholder for the organization's delivery domain. */
    deliveryUrl: e.DELIVERY_URL ?? `${isEmbedded ? 'http' : 'https'}://{org_domain}`,
    roles: e.ROLES,
    /** Number of processes with the roles gateway and edge. More than one share the ports. */
    webConcurrency: e.WEB_CONCURRENCY,
    workers: e.WORKERS,
    dataDir: e.DATA_DIR,
    databaseUrl: e.DATABASE_URL,
    /** The server itself, where `databaseUrl` is a pooler. */
    databaseDirectUrl: e.DATABASE_DIRECT_URL,
    /** A streaming replica for lists, counts, usage and exports. */
    databaseReadUrl: e.DATABASE_READ_URL,
    /** Longest time that such a read waits for the replica, in seconds. */
    databaseReadMaxLagSeconds: e.DATABASE_READ_MAX_LAG_SECONDS,
    isEmbedded,
    storage: toStorageSettings(e),
    secret: e.SECRET,
    ffmpeg: e.FFMPEG,
    ffprobe: e.FFPROBE,
    maxUploadBytes: e.MAX_UPLOAD_BYTES,
    /** Whether nginx in front of the edge sends the bytes of files. */
    isAccelerated: e.EDGE_ACCEL === 'nginx',
    isWebhookPrivateAllowed: e.WEBHOOK_ALLOW_PRIVATE ?? isEmbedded,
    /** Whether recordings may be downloaded over http, and from addresses outside the public internet. */
    isSourcePrivateAllowed: e.SOURCE_ALLOW_PRIVATE ?? isEmbedded,
    isRateLimited: e.RATE_LIMITS ?? !isEmbedded,
    /** Number of proxies that append to X-Forwarded-For. */
    trustedProxies: e.TRUSTED_PROXIES,
    /** Header in which the CDN in front sends the country of the client. Undefined without one. */
    countryHeader: e.COUNTRY_HEADER,
    /** Whether the ledger has the app, device and country of each play. */
    isAudienceKept: e.AUDIENCE,
    /** Part of the openings of a player, 0 to 1, that report how much of a track is heard. */
    listeningSample: e.LISTENING_SAMPLE,
    /** Recognition of speech. Undefined: no recording is transcribed. */
    transcription: e.TRANSCRIBE_URL === undefined ? undefined : toTranscriptionSettings(e, e.TRANSCRIBE_URL),
    oidc: e.OIDC_ISSUER === undefined ? undefined : toOidcSettings(e, e.OIDC_ISSUER),
    logLevel: e.LOG_LEVEL,
    logFormat: e.LOG_FORMAT,
    tracing: toTracingSettings(e),
    /** Share of the successful stream links and deliveries that are logged. */
    logStreamSample: e.LOG_STREAM_SAMPLE,
    /** Whether the first start creates a demo organization. */
    isDemo: e.DEMO?.isOn ?? isEmbedded,
    /** Whether the demo organization gets an album. */
    hasDemoAlbum: e.DEMO?.hasAlbum ?? isEmbedded,
    isIntrospectionOn: e.GRAPHQL_INTROSPECTION,
    graphqlTimeoutSeconds: e.GRAPHQL_TIMEOUT_SECONDS,
    graphqlPersisted: e.GRAPHQL_PERSISTED,
    graphqlPersistedFile: e.GRAPHQL_PERSISTED_FILE,
    // The console needs free-form operations.
    isGraphiql: e.GRAPHIQL && e.GRAPHQL_PERSISTED !== 'only',
    isDocs: e.DOCS,
    /** Interval at which a subscriber's permissions are checked again, in seconds. */
    subscriptionCheckSeconds: e.SUBSCRIPTION_CHECK_SECONDS,
    deletedFilesKeptDays: e.DELETED_FILES_KEPT_DAYS,
    eventsKeptDays: e.EVENTS_KEPT_DAYS,
    activityKeptDays: e.ACTIVITY_KEPT_DAYS,
    /** Full months of the ledger to keep, in addition to the current one. */
    playsKeptMonths: e.PLAYS_KEPT_MONTHS,
    /** Whether months are archived in storage before they are dropped. */
    isPlaysArchived: e.PLAYS_ARCHIVE,
    backup: {
      /** Folder or bucket that a worker writes a backup to every day. */
      to: e.BACKUP_TO,
      /** Time of day, HH:MM, UTC. */
      at: e.BACKUP_AT,
      /** Number of complete backups to keep. */
      keep: e.BACKUP_KEEP,
      /** Whether scheduled backups contain SECRET. */
      hasSecret: e.BACKUP_SECRET,
      s3: {
        endpoint: e.BACKUP_S3_ENDPOINT ?? e.S3_ENDPOINT,
        region: e.BACKUP_S3_REGION ?? e.S3_REGION,
        accessKeyId: e.BACKUP_S3_ACCESS_KEY_ID ?? e.S3_ACCESS_KEY_ID,
        secretAccessKey: e.BACKUP_S3_SECRET_ACCESS_KEY ?? e.S3_SECRET_ACCESS_KEY,
      },
    },
  })
}

export type TracingSettings = NonNullable<ReturnType<typeof toTracingSettings>>

/** Null unless an endpoint is set. */
function toTracingSettings(e: z.infer<typeof environment>) {
  const base = e.OTEL_EXPORTER_OTLP_ENDPOINT
  const url = e.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base}/v1/traces`)
  if (!url || e.OTEL_SDK_DISABLED) return null
  const attributes = e.OTEL_RESOURCE_ATTRIBUTES
  return {
    /** Address that receives traces. */
    url,
    protocol: e.OTEL_EXPORTER_OTLP_PROTOCOL,
    headers: e.OTEL_EXPORTER_OTLP_HEADERS,
    serviceName: e.OTEL_SERVICE_NAME ?? attributes['service.name'] ?? 'tonearm',
    /** Of the resource. */
    attributes,
    sampler: e.OTEL_TRACES_SAMPLER,
    /** Share of the traces that a `traceidratio` sampler records. */
    samplerArg: e.OTEL_TRACES_SAMPLER_ARG,
  }
}

function toStorageSettings(e: z.infer<typeof environment>) {
  if (e.STORAGE === 'file') return { kind: 'file' as const }
  return {
    kind: 's3' as const,
    endpoint: e.S3_ENDPOINT ?? '',
    publicEndpoint: e.S3_PUBLIC_ENDPOINT ?? e.S3_ENDPOINT ?? '',
    bucket: e.S3_BUCKET ?? '',
    region: e.S3_REGION ?? '',
    accessKeyId: e.S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: e.S3_SECRET_ACCESS_KEY ?? '',
  }
}

function trimTrailingSlashes(url: string): string {
  return url.replace(/\/+$/, '')
}
