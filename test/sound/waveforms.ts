import { makeHostMedia } from '../support/audio.ts'
import { sweeps } from './compare.ts'
import type { Recording } from './uploads.ts'

const makeRecording = (name: string, args: readonly string[]): Recording => ({
  name,
  make: () => makeHostMedia([...args], name.split('.').at(-1) ?? ''),
})
const source = (expression: string) => ['-f', 'lavfi', '-i', expression]
const swelling = (hz: number) => `0.9*sin(2*PI*${hz}*t)*abs(sin(2*PI*0.7*t))`

export const waveformRecordings: Recording[] = [
  makeRecording('sweeps.wav', sweeps(2, { seconds: 2, rate: 44_100 })),
  makeRecording('swelling.wav', source(`aevalsrc=${swelling(330)}|${swelling(470)}:s=48000:d=2.345`)),
  makeRecording('mono.flac', source(`aevalsrc=${swelling(330)}:s=48000:d=1.5`)),
  makeRecording('phone.wav', source(`aevalsrc=${swelling(330)}:s=8000:d=1.5`)),
  makeRecording('96000.flac', [
    ...source(`aevalsrc=${swelling(330)}|${swelling(470)}:s=96000:d=1`),
    '-sample_fmt',
    's32',
  ]),
  makeRecording('offset.wav', source(`aevalsrc=0.3+0.4*sin(2*PI*300*t)|0.3+0.4*sin(2*PI*400*t):s=44100:d=1.5`)),
  makeRecording('half silent.wav', source(String.raw`aevalsrc='if(lt(t\,1)\,0\,0.8*sin(2*PI*440*t))':s=44100:d=2`)),
  makeRecording('lossy.mp3', [...sweeps(2, { seconds: 2, rate: 44_100 }), '-b:a', '128k']),
  makeRecording('10 ms.wav', sweeps(1, { seconds: 0.01, rate: 44_100 })),
]

export const waveformTable = { rows: waveformRecordings, variants: ['aac', 'levels', 'fine_levels'] } as const
