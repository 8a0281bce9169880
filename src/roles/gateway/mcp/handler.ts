import type { CallToolResult, Server } from '@modelcontextprotocol/server'
import type { Services } from '../../../platform/context.ts'
import { AppError, invalidInput } from '../../../platform/errors.ts'
import { corsHeaders, errorResponse, preflight, privateHeaders, readText } from '../../../platform/http/rest.ts'
import { isObject } from '../../../platform/object.ts'
import { currentRequestId } from '../../../platform/origin.ts'
import { version } from '../../../platform/version.ts'
import type { Identify } from '../graphql.ts'
import { schema } from '../schema.ts'
import { describeTool } from './describe.ts'
import { toolSources } from './tools.ts'

export const MCP_PATH = '/mcp'

const instructions =
  'Tonearm stores, processes and delivers the audio of an organization. Creators and collections own tracks; a share link ' +
  'lets listeners open a track or a collection. Ask the person before you call a tool that is destructive.'

interface Parts {
  identify: Identify
  /** Runs a GraphQL operation for the client of a request, whose rights and limits hold. */
  execute: (request: Request, body: string) => Promise<Response>
}

/**
 * Creates `/mcp`: the tools of agents by the Model Context Protocol (Streamable HTTP, stateless). A tool is a GraphQL
 * operation, so that rights, limits and errors are those of /graphql. Only POST: the service sends nothing by itself.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
export function createMcp(services: Services, { identify, execute }: Parts) {
  async function answer(request: Request, requestId: string): Promise<Response> {
    if (request.method !== 'POST')
      throw new AppError('method_not_allowed', 'method: must be POST', { headers: { allow: 'POST, OPTIONS' } })
    const { viewer, headers: standing } = await identify(request)
    if (!viewer)
      throw new AppError('unauthenticated', 'Authorization: must be Bearer with an API key or an access token')
    const parsedBody = await readMessage(request)
    const { createMcpHandler, Server } = await loadSdk()
    const createServer = () => {
      const server = new Server({ name: 'tonearm', version }, { capabilities: { tools: {} }, instructions })
      offerTools(server, (body) => execute(request, body))
      return server
    }
    // Nothing changes that a client could listen to.
    const answered = await createMcpHandler(createServer, { maxSubscriptions: 0 }).fetch(request, { parsedBody })
    const headers = { ...corsHeaders, ...privateHeaders, ...standing, 'x-request-id': requestId }
    for (const [name, value] of Object.entries(headers)) answered.headers.set(name, value)
    return answered
  }

  return async (request: Request): Promise<Response> => {
    const requestId = currentRequestId()
    if (request.method === 'OPTIONS') return preflight(request, ['POST', 'OPTIONS'], requestId)
    try {
      return await answer(request, requestId)
    } catch (error) {
      return errorResponse(error, { accept: null, requestId, log: services.log })
    }
  }
}

/** Loaded with the first request: it takes 27 MB. */
const loadSdk = () => import('@modelcontextprotocol/server')

/**
 * Reads one message.
 * @throws AppError `invalid_input` for several: each would be a request that no limit counts (removed from the protocol in 2025-06-18)
 */
async function readMessage(request: Request): Promise<Record<string, unknown>> {
  const text = await readText(request)
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    throw invalidInput('body', 'must be valid JSON')
  }
  if (!isObject(message) || Array.isArray(message)) throw invalidInput('body', 'must be one JSON-RPC message')
  return message
}

const tools = toolSources.map((source) => ({ ...describeTool(source, schema), operation: source.operation }))

function offerTools(server: Server, execute: (body: string) => Promise<Response>): void {
  server.setRequestHandler('tools/list', () => ({ tools: tools.map(({ operation, ...tool }) => tool) }))
  server.setRequestHandler('tools/call', async ({ params }): Promise<CallToolResult> => {
    const tool = tools.find(({ name }) => name === params.name)
    if (!tool) return toFailure(`name: there is no tool ${params.name.slice(0, 100)}`)
    const response = await execute(JSON.stringify({ query: tool.operation, variables: params.arguments ?? {} }))
    return toResult((await response.json()) as GraphqlAnswer)
  })
}

interface GraphqlAnswer {
  data?: Record<string, unknown> | null
  errors?: { message: string; extensions?: Record<string, unknown> }[]
}

/** An error is a result that the model reads, so that it can call the tool in another way. */
function toResult({ data, errors = [] }: GraphqlAnswer): CallToolResult {
  if (errors.length > 0 || !data) {
    return toFailure(errors.map(({ message, extensions }) => JSON.stringify({ message, ...extensions })).join('\n'))
  }
  return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data }
}

const toFailure = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true })
