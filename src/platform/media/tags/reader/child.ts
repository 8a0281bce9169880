import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { checkHost, HostFault } from '../../ffmpeg/host-fault.ts'
import { mediaError } from '../../ffmpeg/reasons.ts'
import type { Tools } from '../../ffmpeg/tools.ts'
import { lastLine, type Program, packageFolders, runSandboxed } from '../../sandboxed-program.ts'
import { PICTURE_FILE, UNWRITABLE } from './bounds.ts'
import { type Report, report } from './report.ts'

const CPU_SECONDS = 10

const program: Program = {
  script: join(import.meta.dir, 'program.ts'),
  files: [import.meta.dir, ...packageFolders('music-metadata', import.meta.dir)],
  cpuSeconds: CPU_SECONDS,
  maxReportBytes: 4 << 20,
}

/** A report with the path of the picture. */
export interface ReadTags extends Omit<Report, 'hasPicture'> {
  /** Local path of the picture, not validated. Null without one. */
  picture: string | null
}

/**
 * Reads the tags of a recording with music-metadata, in a sandbox.
 * @param recording local path
 * @param folder for the picture
 * @throws MediaError `decoder_failed` for a recording whose tags cannot be read, `timed_out`; HostFault; AbortError of
 * the given signal
 */
export async function runReader(
  tools: Pick<Tools, 'sandbox' | 'pictureView'>,
  recording: string,
  folder: string,
  signal?: AbortSignal,
): Promise<ReadTags> {
  const ended = await runSandboxed(tools, program, { input: recording, folder }, signal)
  checkHost([ended], CPU_SECONDS)
  if (ended.exitCode === UNWRITABLE) throw new HostFault('disk_full', 'the picture could not be written')
  if (ended.timedOut) throw mediaError('timed_out')
  const parsedReport = ended.exitCode === 0 ? report.safeParse(lastLine(ended.stdout)) : undefined
  if (!parsedReport?.success) throw mediaError('decoder_failed', `status ${ended.exitCode}: ${ended.stderr}`)
  const { hasPicture, ...read } = parsedReport.data
  return { ...read, picture: hasPicture ? await ownPicture(folder) : null }
}

/** Renames the picture, so that a second run into the same folder does not replace it. */
async function ownPicture(folder: string): Promise<string> {
  const file = join(folder, `${PICTURE_FILE}-${crypto.randomUUID()}`)
  await rename(join(folder, PICTURE_FILE), file)
  return file
}
