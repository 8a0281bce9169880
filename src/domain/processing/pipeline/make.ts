import { availableParallelism } from 'node:os'
import { MediaError } from '../../../platform/media/ffmpeg/reasons.ts'
import { makers } from '../make/makers.ts'
import type { FileResult, PlannedFile, Run } from '../run/run.ts'
import { publishFinished } from './publish.ts'

/** Finishes the encoded audio files. Waveforms are measured on them. */
export async function makeAudioFiles(run: Run): Promise<void> {
  await makeEach(
    run,
    run.files.filter(({ plan }) => plan.kind === 'audio'),
  )
}

/** Makes all other files. */
export async function makeOtherFiles(run: Run): Promise<void> {
  await makeEach(
    run,
    run.files.filter(({ plan }) => plan.kind !== 'audio'),
  )
}

/** Makes and publishes files, one at a time on each core. The first error aborts the run; it is thrown when all programs have ended. */
async function makeEach(run: Run, files: readonly PlannedFile[]): Promise<void> {
  const left = files.values()
  const work = async () => {
    for (const file of left) {
      run.signal.throwIfAborted()
      run.results.set(file.row.id, await make(run, file))
      await publishFinished(run, file)
      run.progress.made(makers[file.plan.kind].weight)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, () => work().catch(run.abort)))
  run.signal.throwIfAborted()
}

/** A file that cannot be made is a result, not an error of the run. */
async function make(run: Run, file: PlannedFile): Promise<FileResult> {
  try {
    return await makers[file.plan.kind].make(run, file)
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    const { code, detail, message: text } = error
    const variant = file.row.variant.index
    run.services.log.warn({ trackId: run.track.id, variant, code, detail }, 'a file could not be made')
    return { state: 'failed', code, text }
  }
}
