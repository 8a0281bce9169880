import { checkDecodable } from '../../../platform/media/decodable.ts'
import { probe } from '../../../platform/media/probe.ts'
import { withFewTags } from '../../../platform/media/tags/excess/clip.ts'
import { mergeTags, readTags } from '../../../platform/media/tags/read.ts'
import type { Run } from '../run/run.ts'

/**
 * Examines the recording and reads its tags. A recording in which no run has found sound is decoded for a moment, too.
 * @throws MediaError for a file that is not audio
 */
export async function probeRecording(run: Run): Promise<void> {
  const { tools } = run.services
  run.file = await withFewTags(run.file)
  const [probeReport, read] = await Promise.all([
    probe(tools, run.file, run.signal),
    readTags(tools, run.file, run.folder, run.signal).catch((error: unknown) => ({ error })),
  ])
  run.probe = probeReport
  // The reason why a recording cannot be read takes precedence.
  if ('error' in read) throw read.error
  run.tagged = mergeTags(probeReport, read)
  if (run.track.info === null) await checkDecodable(tools, run.file, run.probe, run.folder, run.signal)
}
