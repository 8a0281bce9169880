import { open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeFully } from '../../storage/write-stream.ts'

/** Faults of the host that messages can report. */
export type ReportedFault = 'disk_full' | 'file_not_visible' | 'not_started'

/**
 * ffmpeg's reports that an output is incomplete. Many builds exit with 0 all the same when only the last bytes, which
 * they write at the end, are lost.
 */
const lostOutput =
  /^(?:\[(?:out|[av]ost)#\S+ @ \w+\] )?(?:Error (?:writing|closing|muxing|submitting)|Could not write header|av_interleaved_write_frame\(\)).*: (?:No space left on device|Disk quota exceeded|Read-only file system|Input\/output error)/im
const fullDisk = /No space left on device|Disk quota exceeded|Read-only file system/i
const noThread = /pthread_create\b.*(?:failed|Resource temporarily unavailable)/i
/** EAGAIN, as ffmpeg 6.1 and later exit with it. */
const TRY_AGAIN = 256 - 11

const unopened =
  '(?:No such file or directory|Permission denied|Too many open files(?: in system)?|Stale (?:NFS )?file handle)'

/**
 * Finds out whether a fault of the host explains messages of ffmpeg. Messages may contain text of a recording with its
 * line ends, and so lines of any form. Those of a program that reads a recording need evidence: a full disk does not
 * take a megabyte more, and no recording contains the path of its local file.
 * @param args of the program
 */
export function gatherEvidence(args: readonly string[]) {
  const inputs = args.filter((arg, at) => args[at - 1] === '-i' && arg.startsWith('file:'))
  const [output] = args.filter((_, at) => args[at - 1] === '-y')
  const folder = output === undefined ? null : dirname(output.replace(/^file:/, ''))
  let isFull: Promise<boolean> | undefined

  /** Messages about the disk are about the output, which the programs alone that write files have. */
  async function isLost(messages: string, exitCode: number | null): Promise<boolean> {
    if (folder === null || !(lostOutput.test(messages) || (exitCode !== 0 && fullDisk.test(messages)))) return false
    return inputs.length === 0 || (await isFull) === true || !(await takesMore(folder))
  }

  return {
    /** Adds text of standard error as it is written: other programs may remove files soon after. */
    read(text: string): void {
      if (folder && inputs.length > 0 && fullDisk.test(text)) isFull ??= takesMore(folder).then((takes) => !takes)
    },
    /** @param messages end of standard error */
    async end(messages: string, exitCode: number | null): Promise<ReportedFault | null> {
      if (await isLost(messages, exitCode)) return 'disk_full'
      if (exitCode === 0) return null
      if (inputs.some((input) => isUnopened(messages, input))) return 'file_not_visible'
      const isTrusted = inputs.length === 0 || exitCode === TRY_AGAIN
      return isTrusted && noThread.test(messages) ? 'not_started' : null
    },
  }
}

/** Whether a file that the service passed to a program could not be opened. */
function isUnopened(messages: string, input: string): boolean {
  const [path, bare] = [input, input.replace(/^file:/, '')].map((name) => RegExp.escape(name))
  const named = new RegExp(`^(?:\\[\\w+\\] )?(?:${path}|${bare}): ${unopened}$`, 'm')
  const later = new RegExp(`Error opening input: ${unopened}\\nError opening input file (?:${path}|${bare})\\.$`, 'm')
  return named.test(messages) || later.test(messages)
}

const TRIAL_BYTES = 1 << 20
const diskErrors = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO']

/** Whether a folder takes another megabyte. */
async function takesMore(folder: string): Promise<boolean> {
  const file = join(folder, `trial-${crypto.randomUUID()}`)
  try {
    await using handle = await open(file, 'wx')
    await writeFully(handle, Buffer.alloc(TRIAL_BYTES), 0)
    await handle.datasync()
    return true
  } catch (error) {
    return !diskErrors.includes((error as { code?: string }).code ?? '')
  } finally {
    await rm(file, { force: true }).catch(() => {})
  }
}
