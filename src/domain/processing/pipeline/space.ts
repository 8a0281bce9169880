import { LEVELS_BYTES_PER_SECOND } from '../../../platform/media/levels.ts'
import type { FilePlan } from '../../variant/types/type.ts'
import type { Run } from '../run/run.ts'

/** Bytes per second of recordings that announce no length: speech at 32 kbit/s. */
const SOURCE_BYTES_PER_SECOND = 4000
/** Tags are written to a second version of a file, and bit rates vary. */
const VERSIONS = 2
/** Waveforms of 48 kHz with the finest pixels as text, and films of waveforms: several times what was measured. */
const [WAVEFORM_BYTES_PER_SECOND, FILM_BYTES_PER_SECOND] = [20_000, 100_000]

const rates: { [Kind in FilePlan['kind']]: (plan: Extract<FilePlan, { kind: Kind }>) => number } = {
  audio: ({ bytesPerSecond }) => VERSIONS * bytesPerSecond,
  adaptive: (plan) => plan.rates.reduce((sum, { bytesPerSecond }) => sum + VERSIONS * bytesPerSecond, 0),
  levels: () => WAVEFORM_BYTES_PER_SECOND,
  waveform_image: () => 0,
  waveform_video: () => FILM_BYTES_PER_SECOND,
  original: () => 0,
  cover: () => 0,
}

/** Bytes of scratch space that a run needs for a recording of this length. */
function bytesFor({ files, track }: Run, seconds: number): number {
  const bytesPerSecond = files.map(({ plan }) => rates[plan.kind](plan as never))
  return (
    Number(track.sourceBytes ?? 0) + seconds * bytesPerSecond.reduce((sum, rate) => sum + rate, LEVELS_BYTES_PER_SECOND)
  )
}

/**
 * Reserves scratch space for the files of a run.
 * @returns a function to call with the decoded seconds: it reserves more for a recording that is longer than announced,
 * and aborts the run when there is no more
 * @throws HostFault `disk_full`
 */
export async function reserveSpace(run: Run): Promise<(seconds: number) => void> {
  let reserved = run.claimedSeconds || Number(run.track.sourceBytes ?? 0) / SOURCE_BYTES_PER_SECOND
  await run.reserve(bytesFor(run, reserved))
  return (seconds) => {
    if (seconds <= reserved) return
    reserved = 2 * seconds
    run.reserve(bytesFor(run, reserved)).catch(run.abort)
  }
}
