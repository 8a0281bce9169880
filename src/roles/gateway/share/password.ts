import { countAttempt } from '../../../domain/access/throttle.ts'
import { createSharePass, PASS_MS } from '../../../domain/playback/share-pass.ts'
import type { Context } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { chooseLanguage } from '../../../platform/http/accept.ts'
import { readText } from '../../../platform/http/rest.ts'
import { mark, noticeStyle, smallPage } from '../../../platform/http/small-page.ts'
import { isPassword } from '../../../platform/identity/password.ts'

const texts = {
  en: {
    title: 'This link needs a password',
    lead: 'The person who sent you the link has the password.',
    label: 'Password',
    submit: 'Open',
    wrong: 'This is not the password. Check upper and lower case.',
    wait: 'Too many wrong passwords. Try again in {minutes} min.',
  },
  de: {
    title: 'Dieser Link braucht ein Passwort',
    lead: 'Wer Ihnen den Link geschickt hat, hat auch das Passwort.',
    label: 'Passwort',
    submit: 'Öffnen',
    wrong: 'Das ist nicht das Passwort. Achten Sie auf Groß- und Kleinschreibung.',
    wait: 'Zu viele falsche Passwörter. Versuchen Sie es in {minutes} min erneut.',
  },
}
const languages = ['en', 'de'] as const

const formStyle = `${noticeStyle}
form { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: 1.5rem }
label { flex-basis: 100%; font-weight: var(--weight-medium) }
input, button { font: inherit; padding: .6rem .8rem; border-radius: var(--radius); border: 1px solid var(--edge) }
input { flex: 1 1 12rem; min-width: 0; background: var(--paper); color: inherit }
button { background: var(--accent); border-color: transparent; color: var(--on-accent); font-weight: var(--weight-medium); cursor: pointer }
.wrong { flex-basis: 100%; color: var(--wrong); font-size: inherit }
`

/** Why a listener is asked again: another password was entered, or too many, with the seconds to wait. */
type Problem = 'wrong' | { waitSeconds: number }

/** Asks a listener for the password of a link. */
export function askPassword(request: Request, problem?: Problem): Response {
  const language = chooseLanguage(request, languages)
  const { title, lead, label, submit, wrong, wait } = texts[language]
  const waitSeconds = typeof problem === 'object' ? problem.waitSeconds : null
  const reason = waitSeconds === null ? wrong : wait.replace('{minutes}', String(Math.ceil(waitSeconds / 60)))
  const { html, headers } = smallPage({
    title,
    main: `${mark}
<h1>${title}</h1>
<p>${lead}</p>
<form method="post">
<label for="password">${label}</label>
<input id="password" name="password" type="password" maxlength="200" autocomplete="off" required autofocus${problem ? ' aria-invalid="true" aria-describedby="problem"' : ''}>
<button type="submit">${submit}</button>
${problem ? `<p id="problem" class="wrong" role="alert">${reason}</p>` : ''}
</form>`,
    style: formStyle,
    isEmbeddable: true,
    hasForm: true,
    language,
  })
  if (waitSeconds === null) return new Response(html, { status: 403, headers })
  return new Response(html, { status: 429, headers: { ...headers, 'retry-after': String(waitSeconds) } })
}

/** Checks the password of a form, and sends its client back to the page with a pass. A client that fails often has to wait. */
export async function enterPassword(
  ctx: Context,
  request: Request,
  { keyHash, passwordHash }: { keyHash: string; passwordHash: string },
): Promise<Response> {
  const password = new URLSearchParams(await readText(request)).get('password') ?? ''
  try {
    const attempt = await countAttempt(ctx, `link:${keyHash}`, { isShared: true })
    if (!(await isPassword(password, passwordHash))) return askPassword(request, 'wrong')
    await attempt.succeeded()
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_limited')
      return askPassword(request, { waitSeconds: error.retryAfterSeconds ?? 60 })
    throw error
  }
  const { name, value } = createSharePass(ctx, keyHash, passwordHash, ctx.clock())
  const { pathname, search } = new URL(request.url)
  const isSecure = ctx.config.publicUrl.startsWith('https:')
  // A player in a frame of another site has a cookie of its own there.
  const scope = isSecure ? 'Secure; SameSite=None; Partitioned' : 'SameSite=Lax'
  return new Response(null, {
    status: 303,
    headers: {
      location: pathname + search,
      'set-cookie': `${name}=${value}; Path=/; Max-Age=${PASS_MS / 1000}; HttpOnly; ${scope}`,
      'cache-control': 'no-store',
    },
  })
}
