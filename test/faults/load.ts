// Load on a deployment while faults happen. `FAULTS=night` makes them longer and more frequent.
import { expect } from 'bun:test'
import { tone } from '../support/audio.ts'
import { type Uploaded, upload } from './client.ts'
import type { Deployment } from './deployment.ts'

export const isNight = process.env.FAULTS === 'night'

/** Time limit of a test. */
export const LIMIT_MS = isNight ? 3_600_000 : 400_000

/** Uploads recordings of 2 to 10 seconds, a few clients at a time, while `fault` happens. */
export async function underLoad(
  deployment: Deployment,
  tracks: number,
  fault: () => Promise<void>,
): Promise<Uploaded[]> {
  const recordings = await Promise.all([2, 4, 10].map((seconds) => tone(seconds, 'mp3')))
  const uploads: Uploaded[] = []
  let remaining = tracks
  const client = async (number: number) => {
    while (remaining > 0) {
      remaining -= 1
      const recording = recordings[(remaining + number) % recordings.length]
      if (recording) uploads.push(await upload(deployment, recording))
    }
  }
  await Promise.all([fault(), ...[0, 1, 2, 3].map(client)])
  expect(uploads).toHaveLength(tracks)
  return uploads
}

/** Waits, while the load goes on. Nothing is asserted by the time. */
export const serve = (seconds: number) => Bun.sleep(seconds * 1000)
