/** Computes the power spectra of two pieces of sound at a time. */
export interface Spectrum {
  /** In samples. */
  size: number
  /**
   * Transforms `size` samples from `at` and from `otherAt` on, with a Hann window.
   * @returns powers from 0 to half the sample rate, one array each, overwritten by the next call
   */
  pair(samples: Float32Array, at: number, otherAt: number): [Float64Array, Float64Array]
}

/** @param size a power of two */
export function createSpectrum(size: number): Spectrum {
  const window = Float64Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size))
  const transform = createTransform(size)
  const [real, imaginary] = [new Float64Array(size), new Float64Array(size)]
  const powers: [Float64Array, Float64Array] = [new Float64Array(size / 2 + 1), new Float64Array(size / 2 + 1)]
  return {
    size,
    pair(samples, at, otherAt) {
      for (let i = 0; i < size; i++) {
        real[i] = (window[i] ?? 0) * (samples[at + i] ?? 0)
        imaginary[i] = (window[i] ?? 0) * (samples[otherAt + i] ?? 0)
      }
      transform(real, imaginary)
      separate(real, imaginary, powers)
      return powers
    },
  }
}

/** Separates the spectra of two real signals from one complex transform by their symmetries. */
function separate(real: Float64Array, imaginary: Float64Array, [one, other]: [Float64Array, Float64Array]): void {
  const size = real.length
  for (let k = 0; k <= size / 2; k++) {
    const mirror = (size - k) % size
    const a = real[k] ?? 0
    const b = imaginary[k] ?? 0
    const c = real[mirror] ?? 0
    const d = imaginary[mirror] ?? 0
    one[k] = ((a + c) * (a + c) + (b - d) * (b - d)) / 4
    other[k] = ((b + d) * (b + d) + (c - a) * (c - a)) / 4
  }
}

/** Fast Fourier transform (Cooley-Tukey, radix 2), in place. */
function createTransform(size: number): (real: Float64Array, imaginary: Float64Array) => void {
  const bits = Math.log2(size)
  const order = Uint32Array.from({ length: size }, (_, i) => reversed(i, bits))
  const cosines = Float64Array.from({ length: size / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / size))
  const sines = Float64Array.from({ length: size / 2 }, (_, i) => -Math.sin((2 * Math.PI * i) / size))
  return (real, imaginary) => {
    for (let i = 0; i < size; i++) {
      const j = order[i] ?? 0
      if (j <= i) continue
      const a = real[i] ?? 0
      const b = imaginary[i] ?? 0
      real[i] = real[j] ?? 0
      imaginary[i] = imaginary[j] ?? 0
      real[j] = a
      imaginary[j] = b
    }
    for (let half = 1; half < size; half *= 2) butterflies(real, imaginary, half, cosines, sines)
  }
}

function butterflies(
  real: Float64Array,
  imaginary: Float64Array,
  half: number,
  cosines: Float64Array,
  sines: Float64Array,
): void {
  const size = real.length
  const stride = size / 2 / half
  for (let start = 0; start < size; start += 2 * half) {
    for (let k = 0, turn = 0; k < half; k++, turn += stride) {
      const upper = start + k
      const lower = upper + half
      const c = cosines[turn] ?? 0
      const s = sines[turn] ?? 0
      const x = real[lower] ?? 0
      const y = imaginary[lower] ?? 0
      const a = c * x - s * y
      const b = c * y + s * x
      const p = real[upper] ?? 0
      const q = imaginary[upper] ?? 0
      real[lower] = p - a
      imaginary[lower] = q - b
      real[upper] = p + a
      imaginary[upper] = q + b
    }
  }
}

function reversed(value: number, bits: number): number {
  let result = 0
  for (let bit = 0; bit < bits; bit++) if (value & (1 << bit)) result |= 1 << (bits - 1 - bit)
  return result
}
