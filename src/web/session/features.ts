import { ask, type Fetch } from './api.ts'

/** Features of the server's schema for signing in. The page works without them. */
export interface Features {
  /** Whether a session can be renewed without the password. */
  isRenewable: boolean
  /** Operation that ends a session on the server, and the names of its arguments. Null without one. */
  signOut: { query: string; args: string[] } | null
}

interface Field {
  name: string
  args: { name: string }[]
  type: { kind: string; ofType: { kind: string } | null }
}

const QUERY = `query SignInFeatures {
  mutation: __type(name: "Mutation") { fields { name args { name } type { kind ofType { kind } } } }
  payload: __type(name: "SignInPayload") { fields { name } }
}`

/** Reads the features from the schema. A server that hides its schema has none. */
export async function readFeatures(fetch: Fetch): Promise<Features> {
  const schemaFields = await ask<{
    mutation: { fields: Field[] } | null
    payload: { fields: { name: string }[] } | null
  }>(fetch, QUERY).catch(() => ({ mutation: null, payload: null }))
  const field = (name: string) => schemaFields.mutation?.fields.find((field) => field.name === name)
  const hasToken = schemaFields.payload?.fields.some(({ name }) => name === 'refreshToken') ?? false
  const ending = field('signOut')
  return {
    isRenewable: hasToken && field('refreshSignIn') !== undefined,
    signOut: ending ? formatOperation(ending) : null,
  }
}

function formatOperation({ name, args, type }: Field): { query: string; args: string[] } {
  const kind = type.kind === 'NON_NULL' ? type.ofType?.kind : type.kind
  const takesToken = args.some((arg) => arg.name === 'refreshToken')
  const selection = kind === 'OBJECT' ? ' { __typename }' : ''
  return takesToken
    ? {
        query: `mutation SignOut($refreshToken: String!) { ${name}(refreshToken: $refreshToken)${selection} }`,
        args: ['refreshToken'],
      }
    : { query: `mutation SignOut { ${name}${selection} }`, args: [] }
}
