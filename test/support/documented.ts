import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { composeDocument, exampleAddresses } from '../../src/roles/gateway/openapi/document.ts'
import { expanded } from '../../src/roles/gateway/openapi/document-writer.ts'
import { restRoutes } from '../../src/roles/gateway/routes.ts'
import type { Answer } from './service.ts'

// Every answer of /v1 that a test receives is validated against the OpenAPI document. Objects may have no fields but the
// documented ones, so that any test finds a field that is missing in the document.

interface Operation {
  responses: Record<string, { $ref?: string }>
}

/** The document and its validator, created for the first answer of a process. */
let composed: ReturnType<typeof compose> | undefined

function compose() {
  const document = composeDocument(exampleAddresses, { isClosed: true })
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  const operations = Object.entries(document.paths)
    .map(([path, methods]) => ({
      path,
      pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
      methods: methods as unknown as Record<string, Operation>,
    }))
    // A literal path precedes one with parameters.
    .sort((a, b) => a.path.split('{').length - b.path.split('{').length)
  return { document, ajv, operations }
}

const escaped = (part: string) => part.replaceAll('~', '~0').replaceAll('/', '~1')
const pointer = (...parts: string[]) => `openapi#/${parts.map(escaped).join('/')}`

function validator(at: string): ValidateFunction | undefined {
  composed ??= compose()
  return composed.ajv.getSchema(at)
}

/** Validates a value with the schema at a pointer of the document. @returns the errors */
export function mistakesIn(value: unknown, ...place: string[]): string[] {
  const validate = validator(pointer(...place))
  if (!validate) return [`there is no ${place.join(' ')}`]
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message, params }) => inWords(instancePath, message, params))
}

const inWords = (path: string, message: string | undefined, params: object) =>
  `${path || 'the answer'} ${message} ${JSON.stringify(params)}`

/**
 * @param path of /v1, with its query
 * @throws Error when the answer is not documented
 */
export function checkDocumented(method: string, path: string, answer: Answer): void {
  if (method === 'OPTIONS' || method === 'HEAD') return
  composed ??= compose()
  const pathname = path.split('?')[0] ?? ''
  const paths = composed.operations.filter(({ pattern }) => pattern.test(pathname))
  const entry = paths.find(({ methods }) => method.toLowerCase() in methods)
  const operation = entry?.methods[method.toLowerCase()]
  const mistakes =
    entry && operation
      ? mistakesOf(entry.path, method, operation, answer)
      : strayMistakes(method, pathname, paths.length > 0, answer)
  if (mistakes.length === 0) return
  throw new Error(
    `${method} ${path} answered ${answer.status}, but not as the OpenAPI document says: what its route in rest.ts has ` +
      `in \`answer\`, \`fails\`, \`params\`, \`query\` and \`body\`.\n${mistakes.join('\n')}\n${answer.text.slice(0, 2000)}`,
  )
}

function mistakesOf(
  path: string,
  method: string,
  operation: Operation,
  { status, headers, json, text }: Answer,
): string[] {
  const response = operation.responses[status]
  if (!response) return [`${status} is not documented for ${method} ${path}`]
  const at = response.$ref
    ? response.$ref.split('/').slice(1)
    : ['paths', path, method.toLowerCase(), 'responses', String(status)]
  const { content = {} } = valueAt(composed?.document, at) as { content?: Record<string, { schema?: object }> }
  const type = headers.get('content-type')?.split(';')[0] ?? ''
  if (type === '' && Object.keys(content).length === 0) return text === '' ? [] : ['there is a body']
  if (!content[type]) return [`its content type is ${type}, not ${Object.keys(content).join(', ') || 'none'}`]
  return mistakesIn(type.endsWith('json') ? json : text, ...at, 'content', type, 'schema')
}

const valueAt = (document: unknown, place: string[]) =>
  place.reduce((node, part) => (node as Record<string, unknown>)[part], document)

const fewValues = restRoutes.filter((route) => expanded(route).length > 1)
const isOneOfNoValue = (method: string, pathname: string) =>
  fewValues.some((route) => {
    const pattern = new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`)
    return route.method === method && pattern.test(pathname)
  })

/** Unknown paths, methods that a path does not have, and invalid values of parameters. */
function strayMistakes(method: string, pathname: string, isPath: boolean, { status, headers, json }: Answer): string[] {
  const refusals = ['invalid_input', 'unauthenticated', 'forbidden']
  if (isOneOfNoValue(method, pathname) && json?.ok === false && refusals.includes(json.code)) return []
  const [expected, code] = isPath ? [405, 'method_not_allowed'] : [404, 'not_found']
  const isRefused = status === expected && json?.code === code && json.ok === false
  if (isRefused && (!isPath || headers.has('allow'))) return []
  return ['it is not documented: a route needs `operation`, `summary` and `answer` in its rest.ts']
}
