import { randomBytes } from 'node:crypto'
import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cleanUp, createPlace, createTrack, type ServiceProcess, startProcess, untilStatus } from '../faults/process.ts'
import type { Figure } from './main.ts'

const BYTES = 1 << 30
const ROUNDS = 3
const MIB = 1 << 20
const SAMPLE_MS = 20

/** One gigabyte through the edge: the memory of the service, and the speed compared with `cp` and `sync`. */
export async function benchUpload(): Promise<Figure[]> {
  const place = await createPlace()
  try {
    const service = await startProcess(place)
    const file = join(place.folder, 'gigabyte')
    await writeNoise(file)
    const rounds: { copySeconds: number; uploadSeconds: number; growth: number }[] = []
    for (let round = 1; round <= ROUNDS; round++) {
      const copySeconds = await copy(file, join(place.folder, 'copy'))
      const { seconds: uploadSeconds, growth } = await upload(service, file)
      rounds.push({ copySeconds, uploadSeconds, growth })
      console.log(
        `upload ${round}: cp + sync ${copySeconds.toFixed(2)} s, PUT ${uploadSeconds.toFixed(2)} s, ` +
          `memory +${(growth / MIB).toFixed(0)} MiB`,
      )
    }
    const growth = Math.max(...rounds.map((round) => round.growth)) / MIB
    const speed = median(rounds.map(({ copySeconds, uploadSeconds }) => copySeconds / uploadSeconds))
    return [
      {
        what: 'upload 1 GiB: memory growth',
        measured: `${growth.toFixed(0)} MiB`,
        goal: '< 64 MiB',
        isMet: growth < 64,
      },
      { what: 'upload 1 GiB: speed / cp + sync', measured: speed.toFixed(2), goal: '>= 0.6', isMet: speed >= 0.6 },
    ]
  } finally {
    await cleanUp(place)
  }
}

/** Random bytes, repeated: no file system stores them for less, and making them does not take a minute. */
async function writeNoise(path: string): Promise<void> {
  const block = randomBytes(16 * MIB)
  const file = await open(path, 'wx')
  for (let written = 0; written < BYTES; written += block.length) await file.write(block)
  await file.sync()
  await file.close()
}

async function copy(from: string, to: string): Promise<number> {
  const began = performance.now()
  await run(['cp', from, to])
  await run(['sync', to])
  const seconds = (performance.now() - began) / 1000
  await rm(to)
  return seconds
}

async function upload(service: ServiceProcess, file: string): Promise<{ seconds: number; growth: number }> {
  const { id, uploadUrl } = await createTrack(service)
  const before = await memoryOf(service.pid)
  let peak = before
  const began = performance.now()
  const child = Bun.spawn(['curl', '-sS', '--fail-with-body', '-o', '/dev/null', '-T', file, uploadUrl], {
    stderr: 'inherit',
  })
  while (child.exitCode === null) {
    peak = Math.max(peak, await memoryOf(service.pid))
    await Promise.race([child.exited, Bun.sleep(SAMPLE_MS)])
  }
  const seconds = (performance.now() - began) / 1000
  if (child.exitCode !== 0) throw new Error(`curl ended with ${child.exitCode}`)
  // The noise is refused as no audio; that must end before the next round.
  await untilStatus(service, id, ['init_error'])
  return { seconds, growth: peak - before }
}

/** Resident memory of a process in bytes. */
async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}

async function run(command: string[]): Promise<void> {
  const child = Bun.spawn(command, { stdout: 'ignore', stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`)
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
