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
  ) => Promise<{ seconds: number; length: number; heights: Heights }>
  /** Opens it with wavesurfer.js, without decoding the sound. */
  wavesurfer: (sound: string, json: string) => Promise<{ seconds: number; heights: Heights }>
}
declare global {
  interface Window {
    waveforms: WaveformTools
  }
}

const PLACES = [0.1, 0.25, 0.4, 0.6, 0.75, 0.9]
const [WIDTH, HEIGHT] = [600, 100]

function element<Name extends 'audio' | 'div'>(name: Name): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  made.style.cssText = `display: block; width: ${WIDTH}px; height: ${HEIGHT}px`
  document.body.append(made)
  return made
}

function heightsOf(canvas: HTMLCanvasElement): Heights {
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
    const drawn = [...container.querySelectorAll('canvas')].map(heightsOf)
    const tallest = drawn.sort((a, b) => Math.max(...b) - Math.max(...a))[0]
    if (tallest?.some((height) => height > 0)) return tallest
  }
  throw new Error('nothing was drawn')
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
      Peaks.init(options, (error, made) => (made ? resolve(made) : reject(error))),
    )
    const { duration, length } = instance.getWaveformData()
    const heights = await drawnIn(container)
    instance.destroy()
    return { seconds: duration, length, heights }
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
}
