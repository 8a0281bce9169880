import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkDecodable } from '../../src/platform/media/decodable.ts'
import { encodeAll } from '../../src/platform/media/encode.ts'
import type { Tools } from '../../src/platform/media/ffmpeg/tools.ts'
import { probe } from '../../src/platform/media/probe.ts'
import { readTags } from '../../src/platform/media/tags/read.ts'

/** Returns `ready` for a file whose sound can be decoded, else the code of the error. */
export async function outcomeOf(tools: Tools, bytes: Uint8Array): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-outcome-'))
  const file = join(folder, 'source')
  try {
    await Bun.write(file, bytes)
    await readTags(tools, file, folder)
    const report = await probe(tools, file)
    await checkDecodable(tools, file, { ...report, isHeard: false }, folder)
    const { decoded } = await encodeAll(tools, { file, probe: report, folder }, [], { isMetered: true })
    return decoded.durationSeconds > 0 ? 'ready' : 'silent'
  } catch (error) {
    return (error as { code: string }).code
  } finally {
    await rm(folder, { recursive: true })
  }
}
