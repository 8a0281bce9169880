import { availableParallelism } from 'node:os'
import { MediaError } from '../../../platform/media/ffmpeg/reasons.ts'
import { makers } from '../make/makers.ts'
import type { FileResult, PlannedFile, Run } from '../run/run.ts'
import { publishFinished } from './publish.ts'

/**
 * Makes and publishes all files, one at a time on each core. Audio files are first: others wait for one of them. The first
 * error aborts the run; it is thrown when all programs have ended.
 */
export async function makeFiles(run: Run): Promise<void> {
  const [audio, others] = [run.files.filter(isAudio), run.files.filter((file) => !isAudio(file))]
  const remainingFiles = [...audio, ...others].values()
  const work = async () => {
    for (const file of remainingFiles) {
      run.signal.throwIfAborted()
      const publishing = makeAndPublish(run, file)
      run.making.set(file.row.id, publishing)
      await publishing
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, () => work().catch(run.abort)))
  run.signal.throwIfAborted()
}

const isAudio = ({ plan }: PlannedFile) => plan.kind === 'audio'

async function makeAndPublish(run: Run, file: PlannedFile): Promise<void> {
  run.results.set(file.row.id, await make(run, file))
  await publishFinished(run, file)
  run.progress.reportFile(makers[file.plan.kind].weight)
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
