import type { Services } from '../../../platform/context.ts'
import type { Job } from '../../../platform/db/generated/client/client.ts'
import { MediaError } from '../../../platform/media/ffmpeg/reasons.ts'
import { withScratch } from '../../../platform/media/ffmpeg/scratch.ts'
import { type LoadedTrack, Run, RunEnded, type Step } from '../run/run.ts'
import { hashFile } from '../run/store.ts'
import { decodeRecording } from './decode.ts'
import { fail } from './fail.ts'
import { fetchRecording } from './fetch.ts'
import { levelFiles } from './level.ts'
import { makeFiles } from './make.ts'
import { planFiles } from './plan.ts'
import { probeRecording } from './probe.ts'
import { publish } from './publish.ts'

/** The stages of every run, in their order, by their names in metrics and traces. */
export const steps: readonly (readonly [name: string, Step])[] = [
  ['fetch', fetchRecording],
  ['probe', probeRecording],
  ['plan', planFiles],
  ['decode', decodeRecording],
  ['level', levelFiles],
  ['make', makeFiles],
  ['publish', publish],
]

/**
 * Runs the pipeline over the recording of a track. The first error aborts all work of the run.
 * @param signal fires when the process stops
 * @throws faults of the service and the host, for `attempt` to repeat; a fault of the recording ends the job
 */
export async function runPipeline(
  services: Services,
  job: Job,
  track: LoadedTrack,
  signal: AbortSignal,
): Promise<void> {
  const stopTimer = services.metrics.processingSeconds.startTimer()
  await withScratch(
    async (scratch) => {
      await runSteps(new Run(services, job, track, scratch, signal))
    },
    { jobId: job.id },
  ).finally(stopTimer)
}

async function runSteps(run: Run): Promise<void> {
  try {
    for (const [name, step] of steps) {
      const stopTimer = run.services.metrics.stepSeconds.startTimer({ step: name })
      await run.services.tracing.inSpan(`step ${name}`, {}, () => step(run)).finally(stopTimer)
    }
  } catch (error) {
    run.abort(error)
    if (error instanceof RunEnded) return
    if (!(error instanceof MediaError)) throw error
    await checkReadable(run)
    await fail(run, error)
  } finally {
    run.progress.end()
  }
}

/**
 * Reads the recording before it is blamed: for a disk that fails, programs report the same as for a truncated file.
 * @throws an error of the disk
 */
async function checkReadable({ file }: Run): Promise<void> {
  // Not set when the recording was not fetched.
  if (file) await hashFile(file)
}
