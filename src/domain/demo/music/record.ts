import { isTurnOver, nextTurn } from '../../../platform/pieces.ts'
import { addRoom, createMix, removeLowest, writeRecording } from './mix.ts'
import type { DemoPiece } from './pieces.ts'

/**
 * Plays a piece and returns it as a WAV file. Other work of the process runs in between: it takes about 0.3 s of CPU.
 * @param signal ends it early
 */
export async function recordPiece(
  { seconds, level, play }: DemoPiece,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const mix = createMix(seconds)
  await runInPieces(play(mix), signal)
  await runInPieces(addRoom(mix), signal)
  await runInPieces(removeLowest(mix), signal)
  return runInPieces(writeRecording(mix, level), signal)
}

async function runInPieces<T>(steps: Generator<void, T>, signal: AbortSignal): Promise<T> {
  await nextTurn()
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    signal.throwIfAborted()
    if (isTurnOver()) await nextTurn()
  }
}
