import { join } from 'node:path'
import { yieldToOthers } from '../ffmpeg/sandbox.ts'
import { killGroup, readTail, untilGroupEnds } from '../ffmpeg/spawn.ts'
import type { EngineOrder, Line, Report } from './order.ts'

const PROGRAM = join(import.meta.dir, 'program.ts')
/** Time to report after the order's timeout has ended its programs. */
const GRACE_MS = 10_000

/**
 * Carries out an order in a separate process, with all its programs in one process group.
 * @param onSeconds called periodically with the number of decoded seconds
 * @throws AbortError of the signal
 */
export async function runEngine(
  order: EngineOrder,
  { signal, onSeconds }: { signal?: AbortSignal; onSeconds?: (seconds: number) => void },
): Promise<Report> {
  signal?.throwIfAborted()
  const child = Bun.spawn([...order.tools.runtimeSandbox, process.execPath, PROGRAM], {
    stdin: new Blob([JSON.stringify(order)]),
    stdout: 'pipe',
    stderr: 'pipe',
    env: {},
    cwd: order.folder,
    detached: true,
  })
  void yieldToOthers(child.pid)
  const kill = () => killGroup(child.pid)
  const timer = setTimeout(kill, order.timeoutMs + GRACE_MS)
  signal?.addEventListener('abort', kill, { once: true })
  try {
    const [report, stderr] = await Promise.all([readLines(child.stdout, onSeconds), readTail(child.stderr)])
    await child.exited
    signal?.throwIfAborted()
    if (!report) throw new Error(`the engine ended with ${child.signalCode ?? child.exitCode}: ${stderr}`)
    return report
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', kill)
    kill()
    // Programs that write into the folder of the run are gone before it is removed.
    if (signal?.aborted) await untilGroupEnds(child.pid)
  }
}

async function readLines(
  stdout: ReadableStream<Uint8Array>,
  onSeconds?: (seconds: number) => void,
): Promise<Report | null> {
  const decoder = new TextDecoder()
  let rest = ''
  let report: Report | null = null
  for await (const chunk of stdout) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) {
      const line: Line = JSON.parse(text)
      if ('report' in line) report = line.report
      else onSeconds?.(line.seconds)
    }
  }
  return report
}
