/** The result of an upload. */
export interface Uploaded {
  status: number
  progress: { loaded: number; total: number }[]
  etag: string | null
}
/** An answer of the API as a page of another origin can read it. */
export interface Heard {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: looked into field by field by the test
  json: any
  requestId: string | null
}
type Handle = { method: string; upload_url: string }

export interface StoryTools {
  ask: (method: string, address: string, key?: string, body?: object) => Promise<Heard>
  /** Uploads what a person chose: the recording as it is, the cover as a form. */
  upload: (handle: Handle, kind: 'raw' | 'form') => Promise<Uploaded>
  /** Draws levels as bars, and answers their height in the middle of each quarter, as shares of the canvas. */
  draw: (levels: number[], max: number) => number[]
  /** How wide a picture is once it has been loaded. */
  picture: (url: string) => Promise<number>
  load: (url: string) => void
  /** Plays from a place until the sound has gone on for so long. */
  playFrom: (position: number, seconds: number) => Promise<{ error: string | null; from: number; duration: number }>
  offer: (url: string) => void
}
declare global {
  interface Window {
    story: StoryTools
  }
}

const [WIDTH, HEIGHT] = [400, 100]
const audio = document.createElement('audio')
document.body.append(audio)

const chosen = (kind: 'raw' | 'form') => {
  const input = document.querySelector<HTMLInputElement>(kind === 'raw' ? '#recording' : '#cover')
  const file = input?.files?.[0]
  if (!file) throw new Error('nothing was chosen')
  return file
}

window.story = {
  async ask(method, address, key, body) {
    const headers = {
      'accept-language': 'de-CH, de;q=0.9',
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body && { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }),
    }
    const answer = await fetch(address, { method, headers, body: body && JSON.stringify(body) })
    return { status: answer.status, json: await answer.json(), requestId: answer.headers.get('x-request-id') }
  },

  upload({ method, upload_url }, kind) {
    const file = chosen(kind)
    const form = new FormData()
    form.append('file', file)
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      const progress: Uploaded['progress'] = []
      request.open(method, upload_url)
      request.setRequestHeader('x-requested-with', 'XMLHttpRequest')
      request.setRequestHeader('cache-control', 'no-cache')
      request.upload.onprogress = ({ loaded, total }) => progress.push({ loaded, total })
      request.onerror = () => reject(new Error('the upload failed'))
      request.onload = () => resolve({ status: request.status, progress, etag: request.getResponseHeader('etag') })
      request.send(kind === 'raw' ? file : form)
    })
  },

  draw(levels, max) {
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width: WIDTH, height: HEIGHT })
    const context = canvas.getContext('2d')
    if (!context) throw new Error('no canvas')
    const width = WIDTH / levels.length
    for (const [place, level] of levels.entries()) {
      const height = (HEIGHT * level) / max
      context.fillRect(place * width, HEIGHT - height, Math.ceil(width), height)
    }
    return [1, 3, 5, 7].map((eighth) => {
      const { data } = context.getImageData((WIDTH * eighth) / 8, 0, 1, HEIGHT)
      let drawn = 0
      for (let y = 0; y < HEIGHT; y++) if ((data[y * 4 + 3] ?? 0) > 127) drawn++
      return drawn / HEIGHT
    })
  },

  async picture(url) {
    const image = new Image()
    image.src = url
    await image.decode()
    return image.naturalWidth
  },

  load(url) {
    audio.src = url
  },

  async playFrom(position, seconds) {
    const sought = new Promise((resolve) => audio.addEventListener('seeked', resolve, { once: true }))
    audio.currentTime = position
    await sought
    const from = audio.currentTime
    await audio.play()
    for (const deadline = performance.now() + 10_000; performance.now() < deadline && !audio.error; ) {
      if (audio.currentTime - from >= seconds) break
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
    const isDone = audio.currentTime - from >= seconds
    const error = audio.error ? `${audio.error.code} ${audio.error.message}` : isDone ? null : 'it stood still'
    return { error, from, duration: audio.duration }
  },

  offer(url) {
    const link = document.createElement('a')
    Object.assign(link, { id: 'download', href: url, textContent: 'Download' })
    document.body.append(link)
  },
}
document.querySelector<HTMLButtonElement>('#play')?.addEventListener('click', () => audio.play())
