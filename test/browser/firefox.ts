// Runs Firefox for Playwright, and passes on the messages between them. It changes two: a command that Firefox before 154 refuses,
// and the script that fills fields.
import { startSoundServer } from './sound-server.ts'

const firefox = Bun.which('firefox-esr') ?? Bun.which('firefox')
if (!firefox) throw new Error('TEST_BROWSER=firefox needs Firefox (Debian: apt-get install firefox-esr pulseaudio)')
const sound = await startSoundServer()

const browser = Bun.spawn([firefox, ...process.argv.slice(2)], {
  stdio: ['ignore', 'pipe', 'pipe'],
  env: { ...process.env, ...sound.env },
})
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => browser.kill(signal))

const refused = 'emulation.setMediaFeaturesOverride'
/**
 * Playwright sets the text of a field as a script of the page does, which React ignores, and appends it in fields of numbers. A
 * person replaces it, and React notices what the browser sets.
 */
const setByScript = /inputElement\.value \+?= (value|text);/g
const setByBrowser =
  'Object.getOwnPropertyDescriptor(Object.getPrototypeOf(inputElement), `value`).set.call(inputElement, $1);'

interface Tunnel {
  upstream: WebSocket
  /** Messages before the connection to Firefox is open. */
  waiting: string[]
}

/** @returns address for Playwright in place of Firefox's */
function openTunnel(address: string): string {
  const server = Bun.serve<Tunnel, never>({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request, server) {
      const upstream = new WebSocket(new URL(new URL(request.url).pathname, address))
      const isUpgraded = server.upgrade(request, { data: { upstream, waiting: [] } })
      return isUpgraded ? undefined : new Response('only for WebSockets', { status: 426 })
    },
    websocket: {
      maxPayloadLength: 256 * 1024 * 1024,
      open(socket) {
        const { upstream, waiting } = socket.data
        upstream.addEventListener('open', () => {
          for (const message of waiting.splice(0)) upstream.send(message)
        })
        upstream.addEventListener('message', ({ data }) => socket.send(data))
        upstream.addEventListener('close', () => socket.close())
      },
      message(socket, text) {
        const { upstream, waiting } = socket.data
        const message = String(text).replaceAll(setByScript, setByBrowser)
        const { id, method } = JSON.parse(message)
        if (method === refused) socket.send(JSON.stringify({ type: 'success', id, result: {} }))
        else if (upstream.readyState === WebSocket.OPEN) upstream.send(message)
        else waiting.push(message)
      },
      close: (socket) => socket.data.upstream.close(),
    },
  })
  return `ws://127.0.0.1:${server.port}`
}

/** Playwright finds the address in a line of the output. */
async function passOutput(from: ReadableStream<Uint8Array<ArrayBuffer>>, to: NodeJS.WriteStream): Promise<void> {
  let rest = ''
  for await (const text of from.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines)
      to.write(`${line.replace(/(?<=WebDriver BiDi listening on )ws:\S+/, (address) => openTunnel(address))}\n`)
  }
}

void passOutput(browser.stdout, process.stdout)
void passOutput(browser.stderr, process.stderr)
const code = await browser.exited
await sound.stop()
process.exit(code)
