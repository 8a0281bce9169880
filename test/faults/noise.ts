import { makeMedia } from '../support/audio.ts'

/** Noise as MP3 that takes long to process: one minute, repeated. MP3 frames can be concatenated. */
export async function longNoise(minutes: number): Promise<Uint8Array<ArrayBuffer>> {
  const source = ['-f', 'lavfi', '-i', 'anoisesrc=duration=60:amplitude=0.3:color=pink:sample_rate=44100']
  const bare = ['-ac', '2', '-b:a', '32k', '-write_xing', '0', '-id3v2_version', '0']
  const minute = await makeMedia([...source, ...bare], 'mp3')
  const all = new Uint8Array(minute.length * minutes)
  for (let i = 0; i < minutes; i++) all.set(minute, i * minute.length)
  return all
}
