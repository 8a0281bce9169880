// Renders the OpenAPI document to the pages at /docs and /docs/reference.
import { type DocumentNode, print } from 'graphql'
import MarkdownIt from 'markdown-it'
import type { SearchEntry } from '../src/web/docs/search.ts'
import { writeCode } from './code.ts'
import { fill } from './guides.ts'

interface Reference {
  $ref?: string
}

interface Schema extends Reference {
  type?: string | string[]
  format?: string
  description?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

interface Parameter extends Reference {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema?: Schema
  example?: unknown
}

type Content = Record<string, { schema?: Schema; example?: unknown; examples?: Record<string, { value?: unknown }> }>

interface Answer extends Reference {
  description?: string
  content?: Content
}

interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security?: object[]
  parameters?: (Parameter | Reference)[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, Answer>
}

interface OpenApi {
  info: { title: string; version: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, unknown>>
}

/** An operation with its place. */
interface Entry extends Operation {
  method: string
  path: string
  isWebhook: boolean
  /** Whether a host other than that of /v1 answers it. */
  isElsewhere: boolean
}

const METHODS = new Set(['get', 'put', 'post', 'delete', 'head', 'patch'])
/** Levels of fields in fields that a page shows. */
const MAX_DEPTH = 3

/** Where /v1 is, until the script of the page inserts its own origin. */
const BASE = 'https://api.example.com'

const markdown = new MarkdownIt({ html: false })
const escapeText = Bun.escapeHTML

/**
 * Renders an overview, and one page for each tag.
 * @param equals operations of GraphQL by the name of the operation of /v1
 * @returns pages by the part of their address after `/docs/`; `index` is `/docs`
 */
export function renderReference(
  api: OpenApi,
  template: string,
  equals: DocumentNode,
): { pages: Record<string, string>; index: SearchEntry[] } {
  const entries = listEntries(api)
  const graphql = new Map(
    equals.definitions.flatMap((one) =>
      one.kind === 'OperationDefinition' ? [[one.name?.value, print(one)]] : [],
    ) as [string, string][],
  )
  const groups = api.tags.map((tag) => ({ ...tag, entries: entries.filter(({ tags }) => tags.includes(tag.name)) }))
  const menuFor = (current?: string) =>
    [
      `<ul><li><a href="/docs"${current === undefined ? ' aria-current="page"' : ''}>Overview</a></li></ul>`,
      ...groups.map(({ name, entries }) => {
        const links = entries.map(
          (entry) =>
            `<li><a href="${locate(entry)}">${writeMethod(entry)}<span>${escapeText(writeTitle(entry))}</span></a></li>`,
        )
        const isOpen = name === current ? ' open' : ''
        return `<details${isOpen}><summary>${name}</summary><ul>${links.join('\n')}</ul></details>`
      }),
    ].join('\n')
  const pages = groups.map(({ name, description, entries }) => [
    namePage(name),
    fill(template, {
      title: name,
      menu: menuFor(name),
      content: `<h1>${name}</h1><p class="lead">${escapeText(description)}</p>\n${entries
        .map((entry) => writeEntry(api, entry, graphql.get(entry.operationId)))
        .join('\n')}`,
    }),
  ])
  const overview = fill(template, {
    title: 'Reference of /v1',
    menu: menuFor(),
    content: writeOverview(api, groups),
  })
  const index = entries.map((entry) => ({
    page: `Reference: ${entry.tags[0]}`,
    title: writeTitle(entry),
    address: locate(entry),
    text: `${entry.isWebhook ? 'Webhook' : entry.method.toUpperCase()} ${entry.path} ${entry.operationId} ${entry.description ?? ''}`,
  }))
  return { pages: Object.fromEntries([['index', overview], ...pages]), index }
}

function listEntries({ paths, webhooks }: OpenApi): Entry[] {
  const list = (places: OpenApi['paths'], isWebhook: boolean) =>
    Object.entries(places).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => METHODS.has(method))
        .map(([method, operation]) => ({
          ...operation,
          // Parameters of a path are those of each of its operations.
          parameters: [...((item.parameters ?? []) as unknown as Parameter[]), ...(operation.parameters ?? [])],
          method,
          path,
          isWebhook,
          isElsewhere: 'servers' in item,
        })),
    )
  return [...list(paths, false), ...list(webhooks, true)]
}

const namePage = (tag: string) => `reference/${tag.toLowerCase()}`
const locate = ({ tags, operationId }: Entry) => `/docs/${namePage(tags[0] ?? '')}#${operationId}`
/** The first sentence of a summary. The others are part of the text. */
const splitSummary = ({ summary }: Entry) => summary.split(/\.\s+/)
const writeTitle = (entry: Entry) => (splitSummary(entry)[0] ?? '').replace(/\.$/, '')
const writeMethod = ({ method, isWebhook }: Entry) =>
  `<span class="method">${isWebhook ? 'EVENT' : method.toUpperCase().replace('DELETE', 'DEL')}</span>`

function writeOverview({ info }: OpenApi, groups: { name: string; description: string; entries: Entry[] }[]): string {
  const cards = groups.map(
    ({ name, description, entries }) =>
      `<li><a href="/docs/${namePage(name)}">${name}</a><p>${escapeText(description)} ${entries.length} operations.</p></li>`,
  )
  return `<h1>Reference of /v1</h1>
<p class="lead">Every operation of the REST API, with examples for curl, TypeScript and GraphQL. Release ${info.version}.
As data: <a href="/openapi.json">openapi.json</a>.</p>
<div class="overview">${markdown.render(info.description)}</div>
<h2>Operations</h2>
<ul class="cards">${cards.join('\n')}</ul>`
}

function writeEntry(api: OpenApi, entry: Entry, graphql?: string): string {
  const { operationId, description = '', path, isWebhook, security } = entry
  const parameters = listParameters(api, entry)
  const body = entry.requestBody?.content
  const json = body?.['application/json']
  const needsKey = security === undefined || security.length > 0
  const access = isWebhook ? 'The service sends it to your endpoints.' : needsKey ? 'Needs a key.' : 'Needs no key.'
  const kinds = [
    ['path', 'Parameters of the path'],
    ['query', 'Parameters of the query'],
    ['header', 'Headers'],
  ] as const
  const parts = kinds.map(([kind, title]) => {
    const chosen = parameters.filter((parameter) => parameter.in === kind)
    return chosen.length === 0 ? '' : `<h3>${title}</h3>${writeParameters(api, chosen)}`
  })
  const bodyTypes = Object.keys(body ?? {}).map((type) => `<code>${escapeText(type)}</code>`)
  const bodyPart = body
    ? `<h3>Body</h3>${json?.schema ? writeFields(api, json.schema) : `<p>${bodyTypes.join(' or ')}</p>`}`
    : ''
  return `<section class="operation" id="${operationId}" data-operation="${escapeText(JSON.stringify(describeForm(entry, parameters)))}">
<div class="text">
<h2>${escapeText(writeTitle(entry))} <a class="anchor" href="#${operationId}" aria-label="Link to this operation">#</a></h2>
<p class="route">${writeMethod(entry)} <code>${escapeText(path)}</code></p>
${markdown.render([splitSummary(entry).slice(1).join('. '), description].join('\n\n'))}
<p class="access">${access}</p>
${parts.join('\n')}
${bodyPart}
${writeAnswers(api, entry)}
</div>
<div class="examples">
${writeExamples(entry, parameters, { needsKey, graphql })}
${writeAnswerExample(entry)}
</div>
</section>`
}

/** Fields of the form that sends the operation; null for one that a page cannot send. */
function describeForm(entry: Entry, parameters: Parameter[]) {
  const { method, path, isWebhook, isElsewhere, requestBody, responses } = entry
  const isSendable = !isWebhook && !isElsewhere && responses['200']?.content?.['application/json'] !== undefined
  if (!isSendable) return null
  return {
    method: method.toUpperCase(),
    path,
    parameters: parameters.map((parameter) => ({
      name: parameter.name,
      in: parameter.in,
      isRequired: parameter.required === true,
    })),
    body: requestBody?.content['application/json'] ? readExample(requestBody.content) : undefined,
  }
}

/** Follows a reference inside the document. */
function resolve<T extends object>({ components }: OpenApi, value: T | Reference): T {
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec((value as Reference).$ref ?? '') ?? []
  return (components[kind]?.[name] ?? value) as T
}

const listParameters = (api: OpenApi, { parameters = [] }: Entry) =>
  parameters.map((parameter) => resolve<Parameter>(api, parameter))

const writeParameters = (api: OpenApi, parameters: Parameter[]) =>
  `<dl class="fields">${parameters
    .map(({ name, required, description, schema = {} }) =>
      writeField(api, { name, schema: { ...schema, description }, isRequired: required === true, depth: MAX_DEPTH }),
    )
    .join('\n')}</dl>`

interface Field {
  name: string
  schema: Schema
  isRequired: boolean
  depth: number
}

/** The fields of an object, or of the objects of a list. */
function writeFields(api: OpenApi, schema: Schema, { depth = 0, isAnswer = false } = {}): string {
  const { properties = {}, required = [] } = readObject(api, schema)
  const fields = Object.entries(properties).map(([name, field]) =>
    writeField(api, { name, schema: field, isRequired: required.includes(name) && depth === 0 && !isAnswer, depth }),
  )
  return fields.length === 0 ? '' : `<dl class="fields">${fields.join('\n')}</dl>`
}

function writeField(api: OpenApi, { name, schema, isRequired, depth }: Field): string {
  const { description = '', enum: values, const: only } = { ...resolve<Schema>(api, schema), ...schema }
  const inner = depth < MAX_DEPTH ? writeFields(api, schema, { depth: depth + 1 }) : ''
  const always = only === undefined ? '' : `<p>Always <code>${escapeText(String(only))}</code>.</p>`
  const allowed = values
    ? `<p>One of ${values.map((value) => `<code>${escapeText(String(value))}</code>`).join(', ')}.</p>`
    : ''
  return `<div><dt><code>${escapeText(name)}</code> <span class="type">${escapeText(describeType(api, schema))}</span>${
    isRequired ? ' <span class="required">required</span>' : ''
  }</dt><dd>${markdown.renderInline(description)}${always}${allowed}${
    inner ? `<details><summary>Fields of ${escapeText(name)}</summary>${inner}</details>` : ''
  }</dd></div>`
}

/** The object in a schema: itself, one of its choices, or the items of a list. */
function readObject(api: OpenApi, schema: Schema): Schema {
  const full = resolve<Schema>(api, schema)
  if (full.properties) return full
  if (full.items) return readObject(api, full.items)
  const choices = [...(full.anyOf ?? []), ...(full.oneOf ?? []), ...(full.allOf ?? [])].map((one) =>
    readObject(api, one),
  )
  const properties = Object.assign({}, ...choices.map((one) => one.properties ?? {}))
  return Object.keys(properties).length === 0
    ? {}
    : { properties, required: choices.find((one) => one.properties)?.required ?? [] }
}

function describeType(api: OpenApi, schema: Schema): string {
  const full = resolve<Schema>(api, schema)
  const choices = full.anyOf ?? full.oneOf
  if (choices) return [...new Set(choices.map((one) => describeType(api, one)))].join(' or ')
  if (full.items) return `list of ${describeType(api, full.items)}`
  const types =
    full.type === undefined
      ? [full.properties ? 'object' : typeof (full.const ?? full.enum?.[0] ?? '')]
      : [full.type].flat()
  return types.map((type) => (type === 'string' && full.format ? full.format : type)).join(' or ')
}

/** The fields of success, and all codes of refusals with their meaning. */
function writeAnswers(api: OpenApi, { responses, isWebhook }: Entry): string {
  if (isWebhook) return ''
  const answers = Object.entries(responses).map(([status, answer]) => ({ status, ...resolve<Answer>(api, answer) }))
  const successes = answers.filter(({ status }) => Number(status) < 400)
  const refusals = answers.filter(({ status }) => Number(status) >= 400)
  const parts = successes.map(({ status, description = '', content }) => {
    const schema = content?.['application/json']?.schema
    const types = Object.keys(content ?? {}).filter((type) => type !== 'application/json')
    const others =
      types.length > 0 ? ` Also ${types.map((type) => `<code>${escapeText(type)}</code>`).join(', ')}.` : ''
    const text = `${description === 'Success.' ? '' : markdown.renderInline(description)}${schema ? others : ''}`
    const fields = schema ? writeFields(api, schema, { isAnswer: true }) : ''
    return `<h3>Answer ${status}</h3>${text ? `<p>${text}</p>` : ''}${fields}`
  })
  const rows = refusals.map(({ status, description = '', content }) => {
    const codes = (content?.['application/json']?.schema?.properties?.code?.enum ?? []).map(
      (code) => `<a href="/docs/guides/status-codes#${code}"><code>${code}</code></a>`,
    )
    return `<tr><td>${status}</td><td>${codes.join(', ')}</td><td>${markdown.renderInline(description)}</td></tr>`
  })
  const head = '<thead><tr><th>status</th><th>code</th><th>meaning</th></tr></thead>'
  const table = `<div class="table" tabindex="0"><table>${head}<tbody>${rows.join('\n')}</tbody></table></div>`
  const errors = rows.length > 0 ? `<details class="errors"><summary>Errors</summary>${table}</details>` : ''
  return `${parts.join('\n')}\n${errors}`
}

/** The first example of a body. */
function readExample(content: Content): unknown {
  const { example, examples } = content['application/json'] ?? Object.values(content)[0] ?? {}
  return example ?? Object.values(examples ?? {})[0]?.value
}

/** IDs that the script replaces by those of the organization of the key. */
const FILLED_IDS = ['organization_id', 'creator_id', 'collection_id', 'track_id', 'variant_id']
const FILLED = /FILL_([a-z_]+?)_END/g
const toMark = (name: string) => `FILL_${name}_END`

/** Values that stand for the parts of an example until a key is entered. */
const standIns: Record<string, string> = { base: BASE, key: 'YOUR_KEY' }

/** Marks the parts of an example that the script of the page fills in. */
const codeExample = (code: string, language: string) =>
  writeCode(code, language).replace(
    FILLED,
    (_, name: string) => `<span class="fill" data-fill="${name}">${standIns[name] ?? name.toUpperCase()}</span>`,
  )

const figure = (name: string, code: string, language: string) =>
  `<div class="code" data-language="${name}"><p class="caption">${name}</p><pre tabindex="0"><code>${codeExample(code, language)}</code></pre></div>`

/** A body as JSON, with marks in the place of IDs. */
const writeBody = (body: unknown) =>
  JSON.stringify(body, (key, value) => (FILLED_IDS.includes(key) && typeof value === 'string' ? toMark(key) : value), 2)

interface ExampleOptions {
  needsKey: boolean
  graphql: string | undefined
}

function writeExamples(entry: Entry, parameters: Parameter[], { needsKey, graphql }: ExampleOptions): string {
  const { method, path, isWebhook, isElsewhere, requestBody } = entry
  const example = requestBody && readExample(requestBody.content)
  if (isWebhook) return figure('Body', writeBody(example), 'json')
  const place = path.replace(/\{(\w+)\}/g, (_, name) => toMark(name))
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const query = required.map(({ name, example: value }) => `${name}=${value ?? name.toUpperCase()}`).join('&')
  const address = `${isElsewhere ? 'https://edge.example.com' : toMark('base')}${place}${query ? `?${query}` : ''}`
  const isJson = requestBody?.content['application/json'] !== undefined
  const verb = { get: '', head: '-I ', post: isJson ? '' : '-X POST ' }[method] ?? `-X ${method.toUpperCase()} `
  const lines = [
    `curl ${verb}"${address}"`,
    ...(needsKey ? [`-H "Authorization: Bearer ${toMark('key')}"`] : []),
    ...(isJson ? ['-H "Content-Type: application/json"', `-d '${writeBody(example).replaceAll("'", "'\\''")}'`] : []),
    ...(requestBody && !isJson ? ['--data-binary @song.wav'] : []),
  ]
  const curl = figure('curl', lines.join(' \\\n  '), 'bash')
  if (isElsewhere || !entry.path.startsWith('/v1/') || !entry.responses['200']) return curl
  const pathValues = parameters.filter((parameter) => parameter.in === 'path')
  const values = [
    ...(pathValues.length > 0
      ? [`  params: { path: { ${pathValues.map(({ name }) => `${name}: '${toMark(name)}'`).join(', ')} } },`]
      : []),
    ...(isJson
      ? [
          `  body: ${writeBody(example)
            .replace(/"(\w+)":/g, '$1:')
            .replaceAll("'", "\\'")
            .replaceAll('"', "'")
            .replaceAll('\n', '\n  ')},`,
        ]
      : []),
  ]
  const options = values.length > 0 ? `, {\n${values.join('\n')}\n}` : ''
  const key = needsKey ? `, apiKey: '${toMark('key')}'` : ''
  const typescript = `import { createClient, readData } from '@tonearm/client'

const tonearm = createClient({ baseUrl: '${toMark('base')}'${key} })
const answer = readData(await tonearm.rest.${method.toUpperCase()}('${path}'${options}))`
  const marked = graphql?.replace(/\{([a-z_]+_id)\}/g, (_, name) => toMark(name))
  return [
    curl,
    figure('TypeScript', typescript, 'typescript'),
    ...(marked ? [figure('GraphQL', marked, 'graphql')] : []),
  ].join('\n')
}

function writeAnswerExample({ responses, isWebhook }: Entry): string {
  const [status, answer] = Object.entries(responses).find(([one]) => Number(one) < 300) ?? []
  const example = answer?.content && readExample(answer.content)
  if (isWebhook || status === undefined || example === undefined) return ''
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2)
  return `<div class="code answer"><p class="caption">Answer ${status}</p><pre tabindex="0"><code>${writeCode(text, typeof example === 'string' ? 'text' : 'json')}</code></pre></div>`
}
