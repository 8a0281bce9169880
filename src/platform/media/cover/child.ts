import { join } from 'node:path'
import type { Tools } from '../ffmpeg/tools.ts'
import { type Program, packageFolders, runSandboxed } from '../sandboxed-program.ts'

export const CPU_SECONDS = 30

const program: Program = {
  script: join(import.meta.dir, 'program.ts'),
  // sharp brings libvips and its loader.
  files: [import.meta.dir, join(import.meta.dir, '../../number.ts'), ...packageFolders('sharp', import.meta.dir)],
  cpuSeconds: CPU_SECONDS,
  maxReportBytes: 65_536,
}

/**
 * Runs the program that decodes untrusted pictures, in a sandbox.
 * @param image local path
 * @param folder for the results
 * @param options `args`: further arguments. `script`: another program, for tests.
 * @returns its output and how it ended
 * @throws AbortError of the given signal
 */
export const runCoverProgram = (
  tools: Pick<Tools, 'sandbox' | 'pictureView'>,
  image: string,
  folder: string,
  signal?: AbortSignal,
  { script = program.script, args }: { script?: string; args?: readonly string[] } = {},
) => runSandboxed(tools, { ...program, script }, { input: image, folder, args }, signal)
