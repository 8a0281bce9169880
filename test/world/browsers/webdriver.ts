import { until } from '../../support/until.ts'

const MAX_WAIT_MS = 30_000
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

/** Path of WebKitGTK's browser for tests, which Debian installs outside of PATH. Null where it is absent. */
export const findMiniBrowser = (): string | null =>
  [...new Bun.Glob('/usr/lib/*/webkit2gtk-4.*/MiniBrowser').scanSync({ absolute: true })].sort().at(-1) ?? null

/** A page that a driver of the W3C protocol WebDriver controls. */
export interface DrivenPage {
  goto: (url: string) => Promise<void>
  /** Runs the body of a function in the page, which may be asynchronous. @returns its result, as JSON */
  run: <T>(body: string) => Promise<T>
  /** Waits until an expression of the page is truthy, and returns its value. */
  untilTrue: <T>(expression: string) => Promise<T>
  /** Waits for an element and presses it. @param name of the button or link, or a CSS selector in parentheses */
  press: (xpath: string) => Promise<void>
  /** Types into an element. For a file field: the path of the file. */
  type: (css: string, text: string) => Promise<void>
  screenshot: () => Promise<Buffer>
  close: () => Promise<void>
}

/** Starts a session of a driver that listens. @throws the error of the driver */
export async function openDrivenPage(driverUrl: string, capabilities: object): Promise<DrivenPage> {
  async function send<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(driverUrl + path, { method, ...(body && { body: JSON.stringify(body) }) })
    const { value } = (await response.json()) as { value: T & { error?: string; message?: string } }
    if (!response.ok) throw new Error(`${method} ${path}: ${value.error} ${value.message}`)
    return value
  }
  const { sessionId } = await send<{ sessionId: string }>('POST', '/session', {
    capabilities: { alwaysMatch: capabilities },
  })
  const post = <T>(path: string, body: object) => send<T>('POST', `/session/${sessionId}${path}`, body)
  const find = (using: string, value: string) =>
    until(value, MAX_WAIT_MS, () =>
      post<Record<string, string>>('/element', { using, value }).then(
        (element) => element[ELEMENT],
        () => null,
      ),
    )
  const run = <T>(body: string) =>
    post<T>('/execute/async', {
      script: `const done = arguments[0]; (async () => { ${body} })().then(done, (error) => done({ failure: String(error) }))`,
      args: [],
    })
  return {
    run,
    async goto(url) {
      await post('/url', { url })
    },
    untilTrue: <T>(expression: string) => until(expression, MAX_WAIT_MS, () => run<T>(`return ${expression}`)),
    async press(xpath) {
      await post(`/element/${await find('xpath', xpath)}/click`, {})
    },
    async type(css, text) {
      await post(`/element/${await find('css selector', css)}/value`, { text })
    },
    screenshot: async () => Buffer.from(await send<string>('GET', `/session/${sessionId}/screenshot`), 'base64'),
    async close() {
      await send('DELETE', `/session/${sessionId}`)
    },
  }
}
