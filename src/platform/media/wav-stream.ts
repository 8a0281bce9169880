interface WavFormat {
  sampleRate: number
  channels: number
}

/**
 * Reads a WAV stream of 16-bit samples as it comes.
 * @see Multimedia Programming Interface and Data Specifications 1.0, chapter 3
 */
export function wavReader() {
  let format: WavFormat | null = null
  let rest = new Uint8Array(0)
  return {
    /** Null until the header has come. */
    get format(): WavFormat | null {
      return format
    },
    /** @returns the whole frames that have come, interleaved; null where there is none */
    take(chunk: Uint8Array): Int16Array | null {
      let bytes = rest.length === 0 ? chunk : joined(rest, chunk)
      if (!format) {
        const header = readHeader(bytes)
        if (!header) {
          rest = new Uint8Array(bytes)
          return null
        }
        format = header
        bytes = bytes.subarray(header.soundAt)
      }
      const whole = bytes.length - (bytes.length % (2 * format.channels))
      rest = new Uint8Array(bytes.subarray(whole))
      return whole === 0 ? null : samplesOf(bytes.subarray(0, whole))
    },
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}

/** Copied only where the bytes do not lie as the machine wants them. */
function samplesOf(bytes: Uint8Array): Int16Array {
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 2 === 0 ? bytes : new Uint8Array(bytes)
  return new Int16Array(buffer, byteOffset, byteLength / 2)
}

/** Null while too little of it has come. */
function readHeader(bytes: Uint8Array): (WavFormat & { soundAt: number }) | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let format: WavFormat | null = null
  for (let at = 12; at + 8 <= bytes.length; at += 8 + view.getUint32(at + 4, true)) {
    const chunk = Buffer.from(bytes.subarray(at, at + 4)).toString('latin1')
    if (chunk === 'data' && format) return { ...format, soundAt: at + 8 }
    if (chunk === 'fmt ' && at + 16 <= bytes.length) {
      format = { channels: view.getUint16(at + 10, true), sampleRate: view.getUint32(at + 12, true) }
    }
  }
  return null
}
