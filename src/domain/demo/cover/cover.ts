import { isTurnOver, nextTurn } from '../../../platform/pieces.ts'
import { drawPoint, SIZE } from './drawing.ts'
import { writePng } from './png.ts'

/** Filter of a row of PNG that contains differences to the pixel on the left, which compress well. */
const SUB = 1

/**
 * Draws the cover of the album as a PNG file. Other work of the process runs in between: it takes about 0.5 s of CPU.
 * @param signal ends it early
 */
export async function drawCover(signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const rowBytes = 1 + 3 * SIZE
  const rows = new Uint8Array(rowBytes * SIZE)
  await nextTurn()
  for (let row = 0; row < SIZE; row++) {
    signal.throwIfAborted()
    if (isTurnOver()) await nextTurn()
    const first = row * rowBytes
    rows[first] = SUB
    let before: readonly number[] = [0, 0, 0]
    for (let column = 0; column < SIZE; column++) {
      const color = drawPoint((column + 0.5) / SIZE, (row + 0.5) / SIZE).map(Math.round)
      for (const [index, value] of color.entries()) {
        rows[first + 1 + column * 3 + index] = value - (before[index] ?? 0)
      }
      before = color
    }
  }
  return writePng(SIZE, SIZE, rows)
}
