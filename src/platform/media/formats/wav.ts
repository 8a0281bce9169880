import type { Samples, SoundFormat } from '../meter/sound.ts'

type SampleArray = Int16ArrayConstructor | Int32ArrayConstructor | Float32ArrayConstructor

interface Header {
  format: SoundFormat
  frameBytes: number
  samples: SampleArray
  /** Byte offset of the sound. */
  dataAt: number
  /** The bytes before the sound. */
  head: Uint8Array
}

const PCM = 1
const FLOAT = 3
const EXTENSIBLE = 0xfffe

/**
 * Parses a WAV stream of 16-bit, 32-bit or float samples incrementally: the format once, then whole frames.
 * @see Multimedia Programming Interface and Data Specifications 1.0; WAVEFORMATEXTENSIBLE
 */
export function wavReader() {
  let header: Header | null = null
  let rest: Uint8Array = new Uint8Array(0)

  return {
    /** Null until the header is complete. */
    get format(): SoundFormat | null {
      return header?.format ?? null
    },
    /** The bytes before the sound. Null until they are complete. */
    get header(): Uint8Array | null {
      return header?.head ?? null
    },
    /** Adds a chunk. @returns the whole frames in it, interleaved; null when there are none */
    take(chunk: Uint8Array): Samples | null {
      const bytes = rest.length === 0 ? chunk : joined(rest, chunk)
      header ??= parseHeader(bytes)
      if (!header) {
        rest = bytes
        return null
      }
      const { dataAt, frameBytes, samples } = header
      const whole = bytes.length - dataAt - ((bytes.length - dataAt) % frameBytes)
      rest = bytes.slice(dataAt + whole)
      header.dataAt = 0
      return whole === 0 ? null : toSamples(bytes, dataAt, whole, samples)
    },
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}

/** Returns a view without a copy if the bytes are aligned. */
function toSamples(bytes: Uint8Array, at: number, length: number, samples: SampleArray): Samples {
  const start = bytes.byteOffset + at
  const count = length / samples.BYTES_PER_ELEMENT
  if (start % samples.BYTES_PER_ELEMENT === 0) return new samples(bytes.buffer as ArrayBuffer, start, count)
  return new samples(bytes.slice(at, at + length).buffer, 0, count)
}

/** Returns null while the header is incomplete. Skips chunks before the sound. */
function parseHeader(bytes: Uint8Array): Header | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const nameAt = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4))
  let soundFormat: Omit<Header, 'dataAt' | 'head'> | null = null
  for (let at = 12; at + 8 <= bytes.length; ) {
    const [name, size] = [nameAt(at), view.getUint32(at + 4, true)]
    if (name === 'data') {
      if (!soundFormat) throw new Error('a WAV stream without a format')
      return { ...soundFormat, dataAt: at + 8, head: bytes.slice(0, at + 8) }
    }
    if (name === 'fmt ' && at + 8 + size <= bytes.length) soundFormat = parseFormat(view, at + 8, size)
    at += 8 + size + (size % 2)
  }
  return null
}

function parseFormat(view: DataView, at: number, size: number): Omit<Header, 'dataAt' | 'head'> {
  const isExtensible = view.getUint16(at, true) === EXTENSIBLE && size >= 40
  const tag = view.getUint16(isExtensible ? at + 24 : at, true)
  const channels = view.getUint16(at + 2, true)
  const sampleRate = view.getUint32(at + 4, true)
  const bits = view.getUint16(at + 14, true)
  const kind = `${tag}/${bits}`
  const samples = { [`${PCM}/16`]: Int16Array, [`${PCM}/32`]: Int32Array, [`${FLOAT}/32`]: Float32Array }[kind]
  if (!samples) throw new Error(`a WAV stream of kind ${kind}`)
  const channelMask = isExtensible ? view.getUint32(at + 20, true) : 0
  return { format: { sampleRate, channels, channelMask }, frameBytes: (channels * bits) / 8, samples }
}
