// Prints the result of each audit of GraphQL over HTTP, one a line.
import { auditServer } from 'graphql-http'

const { URL: url = '', API_KEY: key } = process.env
const withKey: typeof fetch = (input, init) =>
  fetch(input, { ...init, headers: { ...(init?.headers as object), ...(key && { authorization: `Bearer ${key}` }) } })

for (const { status, id, name } of await auditServer({ url, fetchFn: withKey }))
  console.log(`${status}\t${id}\t${name}`)
