import { roundTo } from '../../number.ts'
import { createBandwidthMeter } from './bandwidth.ts'
import { createEdgeMeter } from './edges.ts'
import { createExcerpts } from './excerpts.ts'
import { createFlatPeakMeter } from './flat-peaks.ts'
import { estimateKey } from './key.ts'
import { createLoudnessMeter } from './loudness.ts'
import { createNoiseFloorMeter } from './noise-floor.ts'
import { createPhaseMeter } from './phase.ts'
import { createPlanes, fillPlanes, HISTORY, MAX_FRAMES, resetEnergy } from './planes.ts'
import type { Quality, Samples, SoundAnalysis, SoundFormat } from './sound.ts'
import { estimateTempo } from './tempo.ts'
import { createTruePeakMeter } from './true-peak.ts'

/** Measures a recording in chunks. */
export interface Meter {
  /** Adds whole frames, any number. */
  push(samples: Samples): void
  /** Returns the measurements. To be called once, after the last chunk. */
  end(): { analysis: SoundAnalysis; quality: Quality }
}

/** Measures a recording in one pass. Uses less than 20 MB for 12 hours. */
export function createMeter(format: SoundFormat): Meter {
  const { sampleRate, channels } = format
  const block = createPlanes(format)
  const loudness = createLoudnessMeter(format)
  const truePeak = createTruePeakMeter(sampleRate)
  const edges = createEdgeMeter(format)
  const flatPeaks = createFlatPeakMeter(format)
  const phase = channels === 2 ? createPhaseMeter(sampleRate) : null
  const noiseFloor = createNoiseFloorMeter(sampleRate, channels)
  const bandwidth = createBandwidthMeter(format)
  const excerpts = createExcerpts(format)
  let samplePeak = 0
  const { energy } = block
  /** Number of frames up to the end of a window of phase or noise floor. */
  const room = () => Math.min(noiseFloor.room(), phase?.room() ?? Number.POSITIVE_INFINITY) - energy.frames

  function addEnergy(): void {
    phase?.add(energy)
    noiseFloor.add(energy)
    resetEnergy(energy)
  }

  return {
    push(samples) {
      const frames = Math.floor(samples.length / channels)
      for (let at = 0; at < frames; at += block.count) {
        const count = Math.min(frames - at, room(), loudness.room(), excerpts.room(), MAX_FRAMES)
        fillPlanes(block, samples, at * channels, count)
        if (block.peak > samplePeak) samplePeak = block.peak
        loudness.add(block)
        truePeak.add(block)
        edges.add(block)
        flatPeaks.add(block)
        if (room() === 0) addEnergy()
        bandwidth.add(block)
        excerpts.add(block)
      }
    },
    end() {
      addEnergy()
      const { integrated, range } = loudness.end()
      const { first, last, length, clipped, clippedAt, pause } = edges.end()
      // The last intervals still need their right neighbors.
      fillPlanes(block, new Int16Array(HISTORY * channels), 0, HISTORY)
      truePeak.add(block)
      const mono = excerpts.end()
      const tempo = estimateTempo(mono, excerpts.sampleRate)
      const key = estimateKey(mono, excerpts.sampleRate)
      const seconds = (frames: number) => roundTo(frames / sampleRate, 6)
      const analysis = {
        integrated_lufs: orNull(integrated),
        loudness_range_lu: orNull(range),
        true_peak_dbtp: decibels(Math.max(samplePeak, truePeak.end())),
        sample_peak_dbfs: decibels(samplePeak),
        leading_silence_seconds: seconds(first ?? length),
        trailing_silence_seconds: last === null ? 0 : seconds(length - 1 - last),
        clipped_samples: clipped,
        dc_offset: length === 0 ? 0 : roundTo(Math.max(...block.sums.map(Math.abs)) / length, 6),
        tempo_bpm: orNull(tempo?.bpm),
        tempo_confidence: orNull(tempo?.confidence),
        key: key?.name ?? null,
        key_confidence: orNull(key?.confidence),
      }
      const stereo = phase?.end()
      const lowest = stereo?.lowest ?? null
      const floor = noiseFloor.end()
      const quality = {
        phase_correlation: orNull(stereo?.correlation),
        lowest_phase_correlation: orNull(lowest?.correlation),
        lowest_phase_correlation_at_seconds: lowest && seconds(lowest.at),
        mono_loss_db: orNull(stereo?.monoLossDb),
        balance_db: orNull(stereo?.balanceDb),
        noise_floor_dbfs: orNull(floor?.level),
        noise_floor_seconds: orNull(floor?.seconds),
        longest_pause_seconds: pause && seconds(pause.length),
        longest_pause_at_seconds: pause && seconds(pause.at),
        cutoff_hz: bandwidth.end(),
        clipped_at_seconds: (clipped > 0 ? clippedAt : flatPeaks.end()).map(seconds),
      }
      return { analysis, quality }
    },
  }
}

const orNull = (value: number | null | undefined) => (value == null ? null : roundTo(value, 2))
const decibels = (linear: number) => (linear === 0 ? null : roundTo(20 * Math.log10(linear), 2))
