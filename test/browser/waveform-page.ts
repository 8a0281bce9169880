import Peaks, { type PeaksInstance } from 'peaks.js'
import WaveSurfer from 'wavesurfer.js'

/** Heights of what is drawn, as shares of the canvas, at shares of the width. */
type Heights = number[]

export interface WaveformTools {
  /** Opens the waveform with peaks.js, which fetches it by itself. */
  peaks: (
    sound: string,
    form: 'json' | 'arraybuffer',
    url: string,
  ) => Promise<{ seconds: number; length: number; channels: number; heights: Heights }>
  /** Opens it with wavesurfer.js, without decoding the sound. */
  wavesurfer: (sound: string, json: string) => Promise<{ seconds: number; heights: Heights }>
  /** Draws two images. @returns the size of the first, and the mean difference of their values, 0 to 255 */
  compare: (one: string, other: string) => Promise<{ width: number; height: number; difference: number }>
  /** Inlines an SVG in a page that colors it. @returns the names of its elements, and the color of a bar */
  inline: (url: string, color: string) => Promise<{ names: string[]; color: string }>
}
declare global {
  interface Window {
    waveforms: WaveformTools
  }
}

const PLACES = [0.1, 0.25, 0.4, 0.6, 0.75, 0.9]
const [WIDTH, HEIGHT] = [600, 100]

function element<Name extends 'audio' | 'div'>(name: Name): HTMLElementTagNameMap[Name] {
  const newElement = document.createElement(name)
  newElement.style.cssText = `display: block; width: ${WIDTH}px; height: ${HEIGHT}px`
  document.body.append(newElement)
  return newElement
}

function measureHeights(canvas: HTMLCanvasElement): Heights {
  const { width, height } = canvas
  const pixels = canvas.getContext('2d')?.getImageData(0, 0, width, height).data ?? []
  return PLACES.map((place) => {
    const x = Math.floor(place * width)
    let drawn = 0
    for (let y = 0; y < height; y++) if ((pixels[(y * width + x) * 4 + 3] ?? 0) > 127) drawn++
    return drawn / height
  })
}

/** Of several canvases one has the waveform; it is drawn in a frame of its own, a little later. */
async function drawnIn(container: ParentNode): Promise<Heights> {
  for (const deadline = performance.now() + 10_000; performance.now() < deadline; ) {
    await new Promise((resolve) => requestAnimationFrame(resolve))
    const drawn = [...container.querySelectorAll('canvas')].map(measureHeights)
    const tallest = drawn.sort((a, b) => Math.max(...b) - Math.max(...a))[0]
    if (tallest?.some((height) => height > 0)) return tallest
  }
  throw new Error('nothing was drawn')
}

/** The pixels of an image from another origin. */
async function readPixels(url: string): Promise<ImageData> {
  const image = new Image()
  image.crossOrigin = 'anonymous'
  image.src = url
  await image.decode()
  const { naturalWidth: width, naturalHeight: height } = image
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width, height })
  const context = canvas.getContext('2d')
  if (!context) throw new Error('no canvas')
  context.drawImage(image, 0, 0)
  return context.getImageData(0, 0, width, height)
}

window.waveforms = {
  async peaks(sound, form, url) {
    const [container, mediaElement] = [element('div'), element('audio')]
    mediaElement.src = sound
    const options = {
      overview: {
        container,
        waveformColor: '#000',
        playheadColor: 'transparent',
        showAxisLabels: false,
        axisGridlineColor: 'transparent',
      },
      mediaElement,
      dataUri: { [form]: url },
    }
    const instance = await new Promise<PeaksInstance>((resolve, reject) =>
      Peaks.init(options, (error, peaks) => (peaks ? resolve(peaks) : reject(error))),
    )
    const { duration, length, channels } = instance.getWaveformData()
    const heights = await drawnIn(container)
    instance.destroy()
    return { seconds: duration, length, channels, heights }
  },

  async wavesurfer(sound, json) {
    const { data, bits } = await (await fetch(json)).json()
    const peaks = [Float32Array.from(data, (value: number) => value / 2 ** (bits - 1))]
    const [container, media] = [element('div'), element('audio')]
    media.src = sound
    const player = WaveSurfer.create({ container, media, peaks, height: HEIGHT, cursorWidth: 0 })
    await new Promise((resolve, reject) => {
      player.on('ready', resolve)
      player.on('error', reject)
    })
    return { seconds: player.getDuration(), heights: await drawnIn(player.getWrapper()) }
  },

  async compare(one, other) {
    const [a, b] = [await readPixels(one), await readPixels(other)]
    const difference = a.data.reduce((sum, value, i) => sum + Math.abs(value - (b.data[i] ?? 0)), 0) / a.data.length
    return { width: a.width, height: a.height, difference }
  },

  async inline(url, color) {
    const { documentElement: svg } = new DOMParser().parseFromString(await (await fetch(url)).text(), 'image/svg+xml')
    const container = element('div')
    container.style.color = color
    const style = document.createElement('style')
    style.textContent = 'div > svg { stroke: currentColor }'
    container.append(style, document.importNode(svg, true))
    const bar = container.querySelector('path')
    const names = [svg, ...svg.querySelectorAll('*')].map(({ nodeName }) => nodeName)
    return { names: [...new Set(names)], color: bar ? getComputedStyle(bar).stroke : '' }
  },
}
