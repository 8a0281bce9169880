import { makeHostMedia } from '../support/audio.ts'
import type { Position } from './meters.ts'
import { type Recording, unlessOld } from './uploads.ts'

/** A recording, and what normalization makes of it. */
export interface LoudnessRecording extends Recording {
  /** `met`: the target is reached. `limited`: only with a limiter. `silent`: there is nothing to raise. */
  target: 'met' | 'limited' | 'silent'
  /** Position of each channel, for more than two. */
  speakers?: readonly Position[]
}

/** Pink noise without what encoders leave out, which counts more in noise than in any music. @param seed of a channel */
const noise = (seed: number, rate: number, amplitude: number, seconds: number) =>
  `anoisesrc=color=pink:sample_rate=${rate}:duration=${seconds}:amplitude=${amplitude}:seed=${seed},lowpass=f=${Math.min(6000, rate / 4)}:p=2`

/**
 * Noise in each channel, soft in its first half, through a filter. In one graph: inputs of FFmpeg 7 run in threads, and the
 * frames that are joined then differ from run to run.
 */
function programme(
  name: string,
  {
    rate = 48_000,
    layout = 'stereo',
    channels = 2,
    amplitude = 0.05,
    codec = 'pcm_s24le',
    filter = 'anull',
    seconds = 4,
  } = {},
): LoudnessRecording {
  const sources = Array.from({ length: channels }, (_, at) => `${noise(at + 1, rate, amplitude, seconds)}[c${at}]`)
  const all = Array.from({ length: channels }, (_, at) => `[c${at}]`).join('')
  const joined = `${sources.join(';')};${all}join=inputs=${channels}:channel_layout=${layout}`
  const softer = `volume='if(lt(t,2),0.5,1)':eval=frame`
  const args = ['-filter_complex', `${joined},${softer},${filter}`, '-c:a', codec]
  const extension = name.split('.').at(-1) ?? ''
  return { name, target: 'met', make: () => makeHostMedia(args, extension) }
}

const generated = (
  name: string,
  source: string,
  target: LoudnessRecording['target'],
  codec = 'pcm_s24le',
): LoudnessRecording => ({
  name,
  target,
  make: () => makeHostMedia(['-f', 'lavfi', '-i', source, '-c:a', codec], name.split('.').at(-1) ?? ''),
})

const [leftFront, rightFront, center, low, surround] = ['left', 'right', 'center', 'low', 'surround'] as const
/** Every half second a click, 25 dB above the tone between them. */
const clicks = String.raw`'if(lt(mod(t\,0.5)\,0.005)\,0.9*sin(2*PI*900*t)\,0.05*sin(2*PI*300*t))'`

const recordings: LoudnessRecording[] = [
  programme('mono 8000.wav', { rate: 8000, layout: 'mono', channels: 1 }),
  programme('mono 44100.wav', { rate: 44_100, layout: 'mono', channels: 1 }),
  programme('stereo 22050.wav', { rate: 22_050 }),
  programme('stereo 44100.flac', { rate: 44_100, codec: 'flac' }),
  programme('stereo 48000.wav'),
  programme('stereo 96000.wav', { rate: 96_000 }),
  programme('stereo 192000.wav', { rate: 192_000, codec: 'pcm_f32le' }),
  // Long enough for a range: of four seconds it rests on eleven values, and the rounding of a percentile counts.
  programme('pauses.wav', { seconds: 8, filter: `volume='if(lt(mod(t,1),0.5),0,1)':eval=frame` }),
  programme('opposite.wav', { filter: 'pan=stereo|c0=c0|c1=-0.8*c0' }),
  programme('loud.wav', { amplitude: 0.9, codec: 'pcm_f32le' }),
  {
    ...programme('5.0.wav', { layout: '5.0', channels: 5 }),
    speakers: [leftFront, rightFront, center, surround, surround],
  },
  {
    ...programme('5.1.wav', { layout: '5.1', channels: 6 }),
    speakers: [leftFront, rightFront, center, low, surround, surround],
  },
  {
    ...programme('7.1.flac', { layout: '7.1', channels: 8, codec: 'flac' }),
    speakers: [leftFront, rightFront, center, low, surround, surround, surround, surround],
  },
  generated('offset.wav', 'aevalsrc=0.1+0.05*sin(2*PI*440*t)|0.02+0.05*sin(2*PI*550*t):s=48000:d=4', 'met'),
  generated('full-scale noise.wav', 'anoisesrc=color=white:sample_rate=48000:duration=4:seed=3,lowpass=f=6000', 'met'),
  generated('soft.wav', 'aevalsrc=0.002*sin(2*PI*440*t)|0.002*sin(2*PI*550*t):s=44100:d=4', 'met'),
  generated('clicks.wav', `aevalsrc=${clicks}:s=48000:d=4`, 'limited'),
  generated('silence.wav', 'aevalsrc=0|0:s=48000:d=2', 'silent'),
]

/** Older meters are 0.2 LU off at 8 kHz. */
export const loudnessRecordings = unlessOld(recordings, ['mono 8000.wav'])

export const loudnessTable = {
  rows: loudnessRecordings,
  variants: ['level_aac', 'level_mp3', 'level_mp3_low', 'level_ogg', 'level_opus', 'level_flac', 'limited'],
} as const
