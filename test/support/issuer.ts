import { exportJWK, generateKeyPair, type JWK } from 'jose'

/** Starts an OpenID Connect issuer on a port of its own, which can rotate its keys and stop. */
export async function startIssuer() {
  let published: JWK[] = []
  let status = 200
  let fetches = 0
  let answerUserInfo = (_request: Request): Response => Response.json({ sub: 'u1' })
  let answerCode = async (_form: URLSearchParams): Promise<Response> =>
    Response.json({ error: 'invalid_grant' }, { status: 400 })
  const server: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request): Promise<Response> => {
      fetches += 1
      if (status !== 200) return new Response('away', { status })
      const { pathname } = new URL(request.url)
      if (pathname === '/.well-known/openid-configuration') return Response.json(metadata)
      if (pathname === '/userinfo') return answerUserInfo(request)
      if (pathname === '/token') return answerCode(new URLSearchParams(await request.text()))
      return pathname === '/keys' ? Response.json({ keys: published }) : new Response('nothing', { status: 404 })
    },
  })
  const url: string = `http://127.0.0.1:${server.port}`
  const metadata = {
    issuer: url,
    jwks_uri: `${url}/keys`,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    userinfo_endpoint: `${url}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  }
  const newKey = async (kid: string, alg = 'RS256') => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
    return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
  }
  return {
    url,
    newKey,
    publish: (...keys: JWK[]) => {
      published = keys
    },
    answerWith: (code: number) => {
      status = code
    },
    answerUserInfo: (answer: typeof answerUserInfo) => {
      answerUserInfo = answer
    },
    /** @param answer to a code. Without it the issuer refuses all codes */
    answerCodes: (answer: typeof answerCode) => {
      answerCode = answer
    },
    fetches: () => fetches,
    stop: () => server.stop(true),
  }
}

export type Issuer = Awaited<ReturnType<typeof startIssuer>>
export type IssuerKey = Awaited<ReturnType<Issuer['newKey']>>
