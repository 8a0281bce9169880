import type { AdministratorRole } from '../../src/platform/db/generated/client/enums.ts'
import { type Answer, type Json, type TestService, toAnswer } from './service.ts'
import { untilBlocked } from './until.ts'

/** Who asks, and from where. */
export interface From {
  /** A key or token; nobody unless told. */
  key?: string | null
  address?: string
  headers?: Record<string, string>
}

/** A GraphQL operation from an address of choice, as it is answered. */
export async function post(service: TestService, query: string, variables: object, from: From = {}): Promise<Answer> {
  const headers = new Headers({ 'content-type': 'application/json', ...from.headers })
  if (from.key) headers.set('authorization', `Bearer ${from.key}`)
  const body = JSON.stringify({ query, variables })
  const url = `${service.services.config.publicUrl}/graphql`
  return toAnswer(await service.gateway(new Request(url, { method: 'POST', headers, body }), from.address))
}

/** The data of an operation that must succeed. */
export async function data(
  service: TestService,
  query: string,
  variables: object = {},
  key: string | null = null,
): Promise<Json> {
  const { json } = await post(service, query, variables, { key })
  if (json.errors || !json.data) throw new Error(JSON.stringify(json))
  return json.data
}

/** The word for what went wrong: in the data of GraphQL, or before it got there. */
export const codeOf = ({ json }: Answer): string | undefined => json.errors?.[0].extensions.code ?? json.code

export const SIGN_IN = `mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) {
  token expiresAt refreshToken refreshExpiresAt administrator { id email role isDisabled lastSignInAt } } }`

/** Signs in with an email address and a password; the owner of the demo organization unless told. */
export const trySignIn = (service: TestService, person: Partial<Person> = {}, from: From = {}) =>
  post(service, SIGN_IN, { ...service.demo.admin, ...person }, from)

export async function signIn(service: TestService, person: Partial<Person> = {}): Promise<Json> {
  const { json } = await trySignIn(service, person)
  if (json.errors) throw new Error(JSON.stringify(json.errors))
  return json.data.signIn
}

/** How a person signs in. */
export interface Person {
  email: string
  password: string
}

let people = 0

/** Makes an administrator of a role, through the demo organization's owner. */
export async function hire(service: TestService, owner: string, role: AdministratorRole) {
  people += 1
  const email = `person-${people}@example.com`
  const create = `mutation ($input: CreateAdministratorInput!) {
    createAdministrator(input: $input) { administrator { id } password } }`
  const { createAdministrator: made } = await data(
    service,
    create,
    { input: { email, role: role.toUpperCase() } },
    owner,
  )
  return { id: made.administrator.id as string, email, password: made.password as string }
}

/** Whether a token is still taken. */
export async function isAlive(service: TestService, key: string): Promise<boolean> {
  const { status, json } = await post(service, '{ viewer { __typename } }', {}, { key })
  return status === 200 && json.data.viewer !== null
}

/** Runs statements past the service. */
export const sql = (service: TestService, text: string, values: unknown[] = []) =>
  service.services.pool.query(text, values)

/**
 * Carries out statements, and holds what they locked while the rest is begun: it goes on when that many connections
 * wait for it.
 */
export async function whileLocked<T>(
  service: TestService,
  statements: [text: string, values?: unknown[]][],
  begin: () => Promise<T>,
  waiting: number,
): Promise<T> {
  const { pool } = service.services
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    for (const [text, values] of statements) await client.query(text, values)
    const begun = begin()
    await untilBlocked(pool, { count: waiting })
    await client.query('COMMIT')
    return await begun
  } finally {
    client.release()
  }
}
