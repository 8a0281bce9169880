import { z } from 'zod'
import type { ExternalRefusal } from '../../domain/access/sign-in/external-person.ts'
import { signInByIssuer } from '../../domain/access/sign-in/service.ts'
import type { Context, Services, Viewer } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { withFailurePage } from '../../platform/http/failure-page.ts'
import { errorResponse } from '../../platform/http/rest.ts'
import { createOidcClient, type OidcClient } from '../../platform/identity/oidc-client.ts'
import { currentRequestId } from '../../platform/origin.ts'
import { GRAPHQL_PATH, STUDIO_PATH } from './site.ts'
import { isReading, type PageRoute } from './web-page.ts'

export const SIGN_IN_PATH = '/sign-in'
/** To be registered at the issuer, below PUBLIC_URL. */
export const CALLBACK_PATH = `${SIGN_IN_PATH}/callback`

const COOKIE = 'tonearm_sign_in'
/** Time that a person has at the issuer. */
const COOKIE_SECONDS = 15 * 60

/** A sign-in that is under way, sealed in a cookie of the browser that began it (RFC 9700, section 4.7). */
const signInUnderWay = z.object({
  /** Page to return to. */
  to: z.string(),
  /** Chosen by the tab. It takes no tokens without it, so that no link signs a person in to the account of another. */
  tab: z.string(),
  check: z.object({ state: z.string(), nonce: z.string(), codeVerifier: z.string() }),
})
type SignInUnderWay = z.infer<typeof signInUnderWay>

/** The pages with a sign-in form. Only paths: an address of another site would receive the tokens. */
const returnPath = z.string().regex(new RegExp(`^(${STUDIO_PATH}|${GRAPHQL_PATH})(/[\\w/-]*)?$`))
const tabSecret = z.string().regex(/^[\w-]{16,64}$/)

/** Why a person was not signed in, for the page. */
type SignInProblem = ExternalRefusal | 'denied' | 'expired' | 'unavailable'

/** How the route counts a request and describes its client. */
type IdentifyClient = (
  request: Request,
) => Promise<{ client: Pick<Context, 'address' | 'userAgent'>; viewer: Viewer | null }>

/**
 * Routes that send a person to the pages of OIDC_ISSUER and back to the page that they came from. None without
 * OIDC_CLIENT_ID.
 * @param identify counts the request for the rate limit of its address
 */
export function createSignInRoutes(services: Services, identify: IdentifyClient): PageRoute[] {
  const { oidc, publicUrl } = services.config
  if (!oidc?.client) return []
  const client = createOidcClient(oidc, publicUrl + CALLBACK_PATH)
  const route = (path: string, handle: (request: Request, ctx: Context) => Promise<Response>): PageRoute => ({
    path,
    handle: async (request) => {
      const requestId = currentRequestId()
      try {
        if (!isReading(request)) throw new AppError('method_not_allowed', 'method: must be one of GET, HEAD')
        const { client, viewer } = await identify(request)
        return await handle(request, { ...services, ...client, viewer, requestId })
      } catch (error) {
        const accept = request.headers.get('accept')
        return withFailurePage(request, errorResponse(error, { accept, requestId, log: services.log }))
      }
    },
  })
  return [
    route(SIGN_IN_PATH, (request, ctx) => begin(ctx, client, new URL(request.url))),
    route(CALLBACK_PATH, (request, ctx) => finish(ctx, client, request)),
  ]
}

async function begin(ctx: Context, client: OidcClient, { searchParams }: URL): Promise<Response> {
  const to = returnPath.safeParse(searchParams.get('to')).data ?? STUDIO_PATH
  const tab = tabSecret.safeParse(searchParams.get('tab')).data
  if (tab === undefined) return redirect(to)
  try {
    const { url, check } = await client.begin()
    const cookie = ctx.signing.seal(JSON.stringify({ to, tab, check } satisfies SignInUnderWay))
    return redirect(url.href, writeCookie(ctx, cookie, COOKIE_SECONDS))
  } catch (error) {
    return returnToPage(ctx, { to, tab }, { problem: explain(ctx, error) })
  }
}

async function finish(ctx: Context, client: OidcClient, request: Request): Promise<Response> {
  const underWay = readCookie(ctx, request)
  // Another browser, or later than the cookie lives: nothing proves that the person began this sign-in.
  if (!underWay) return returnToPage(ctx, { to: STUDIO_PATH, tab: '' }, { problem: 'expired' })
  // The address as the issuer saw it: a proxy may have changed scheme and host.
  const answerUrl = new URL(ctx.config.publicUrl + CALLBACK_PATH)
  answerUrl.search = new URL(request.url).search
  try {
    const answer = await client.finish(answerUrl, underWay.check)
    if (answer === 'denied') return returnToPage(ctx, underWay, { problem: 'denied' })
    const signedIn = answer === 'invalid' ? 'invalid' : await signInByIssuer(ctx, answer)
    if (typeof signedIn !== 'string') return returnToPage(ctx, underWay, { refresh_token: signedIn.refreshToken })
    ctx.metrics.signInFailures.inc({ reason: 'issuer' })
    return returnToPage(ctx, underWay, { problem: signedIn === 'invalid' ? 'expired' : signedIn })
  } catch (error) {
    return returnToPage(ctx, underWay, { problem: explain(ctx, error) })
  }
}

/** The log has the cause: the page only says that it is not the person's fault. @throws any other error */
function explain({ log }: Context, error: unknown): SignInProblem {
  if (!(error instanceof AppError) || error.code !== 'unavailable') throw error
  log.warn({ err: error.cause ?? error }, 'the issuer of a sign-in cannot be used')
  return 'unavailable'
}

/** The result is in the fragment: browsers send it to no server, and the page removes it from its address. */
function returnToPage(
  ctx: Context,
  { to, tab }: Pick<SignInUnderWay, 'to' | 'tab'>,
  result: { refresh_token: string } | { problem: SignInProblem },
): Response {
  return redirect(`${to}#${new URLSearchParams({ tab, ...result })}`, writeCookie(ctx, '', 0))
}

const redirect = (location: string, cookie?: string) =>
  new Response(null, {
    status: 303,
    headers: {
      location,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      ...(cookie !== undefined && { 'set-cookie': cookie }),
    },
  })

/** Lax: the issuer's page leads back by a link. The path keeps it from all other requests. */
const writeCookie = ({ config }: Context, value: string, maxAge: number): string =>
  new Bun.Cookie(COOKIE, value, {
    path: SIGN_IN_PATH,
    maxAge,
    httpOnly: true,
    sameSite: 'lax',
    secure: config.publicUrl.startsWith('https:'),
  }).serialize()

function readCookie({ signing, log }: Context, { headers }: Request): SignInUnderWay | null {
  const sealed = new Bun.CookieMap(headers.get('cookie') ?? '').get(COOKIE)
  if (!sealed) return null
  try {
    return signInUnderWay.parse(JSON.parse(signing.unseal(sealed)))
  } catch (error) {
    log.debug({ err: error }, 'the cookie of a sign-in is not one of this service')
    return null
  }
}
