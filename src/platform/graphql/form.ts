import { AppError, invalidInput } from '../errors.ts'

/** Headers that make a browser send a preflight first: a foreign page cannot add them to a simple request. */
const PREFLIGHT_HEADERS = [
  'graphql-require-preflight',
  'x-graphql-client',
  'apollo-require-preflight',
  'x-apollo-operation-name',
]

const isJson = (request: Request) => /^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')

/**
 * Checks that a request has a form that may be executed: a POST with JSON, or a GET that a foreign page cannot have sent
 * with credentials of the browser.
 * @throws AppError `method_not_allowed`, `unsupported_media_type`, `invalid_input`
 */
export function checkForm(request: Request): void {
  if (request.method === 'GET') checkForged(request)
  else if (request.method !== 'POST') {
    throw new AppError('method_not_allowed', 'method: must be GET or POST', { headers: { allow: 'GET, POST' } })
  } else if (!isJson(request)) throw new AppError('unsupported_media_type', 'Content-Type: must be application/json')
}

/**
 * Refuses a GET with cookies that has no header of a preflight. The only cookie of the service is that of a sign-in under way,
 * below its own path, but a proxy before it may authenticate by them.
 */
function checkForged(request: Request): void {
  const { headers } = request
  if (!headers.has('cookie') || /^bearer /i.test(headers.get('authorization') ?? '') || isJson(request)) return
  if (PREFLIGHT_HEADERS.some((name) => headers.has(name))) return
  throw invalidInput(
    'GraphQL-Require-Preflight',
    'or another header that forms cannot send is required for a GET with cookies',
  )
}

/**
 * Returns the parameters in the address of a GET as the body of a POST.
 * @throws AppError `invalid_input` for variables or extensions that are not a JSON object
 */
export function readParameters({ url }: Request): string {
  const { searchParams } = new URL(url)
  const texts = ['query', 'operationName', 'documentId'].map((name) => [name, searchParams.get(name)] as const)
  const objects = ['variables', 'extensions'].map((name) => [name, parseObject(name, searchParams.get(name))] as const)
  return JSON.stringify(Object.fromEntries([...texts, ...objects].filter(([, value]) => value !== null)))
}

function parseObject(name: string, text: string | null): unknown {
  if (text === null || text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    throw invalidInput(name, 'must be a JSON object')
  }
}
