import { constants, copyFile, open } from 'node:fs/promises'
import { writeFully } from '../../../storage/write-stream.ts'
import { readAt } from '../../formats/rewrite.ts'
import { excessBoxes } from './boxes.ts'
import { excessChunks } from './chunks.ts'
import { excessComments, excessOggComments } from './comments.ts'
import { excessElements } from './elements.ts'
import { excessFrames } from './frames.ts'
import { MAX_ENTRIES, type Patch, type TagSource } from './patch.ts'

/**
 * Limits the number of tags of a recording before any program reads them: ffmpeg takes minutes for hundreds of thousands.
 * Nothing but the tags changes, and nothing moves.
 * @param file local path
 * @returns the path of a copy that has the first tags of the file, or none; `file` when it has few
 */
export async function withFewTags(file: string): Promise<string> {
  const patches = await findExcess(file)
  if (patches.length === 0) return file
  const clipped = file.replace(/(\.\w+)?$/, '-clipped$1')
  await copyFile(file, clipped, constants.COPYFILE_FICLONE)
  await using copy = await open(clipped, 'r+')
  for (const { position, bytes } of patches) await writeFully(copy, bytes, position)
  return clipped
}

async function findExcess(file: string): Promise<Patch[]> {
  await using handle = await open(file, 'r')
  const source: TagSource = { handle, size: (await handle.stat()).size }
  const budget = { entries: MAX_ENTRIES }
  const { patches, end } = await excessFrames(source, 0, budget)
  const magic = (await readAt(handle, end, 8)).toString('latin1')
  if (magic.startsWith('fLaC')) patches.push(...(await excessComments(source, end, budget)))
  if (magic.startsWith('OggS')) patches.push(...(await excessOggComments(source, end, budget)))
  if (/^(RIFF|RF64|BW64)/.test(magic)) patches.push(...(await excessChunks(source, end, budget)))
  if (magic.startsWith('\x1a\x45\xdf\xa3')) patches.push(...(await excessElements(source, budget)))
  if (/^.{4}(ftyp|moov|mdat|free|skip|wide)/s.test(magic)) patches.push(...(await excessBoxes(source, budget)))
  return patches
}
