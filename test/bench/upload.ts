import { randomBytes } from 'node:crypto'
import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createTrack, type ServiceProcess } from '../faults/process.ts'
import { startApart } from './edge-process.ts'
import type { Figure } from './main.ts'

const BYTES = 1 << 30
const ROUNDS = 3
const MIB = 1 << 20
const SAMPLE_MS = 20
/** Unit of CPU times in /proc, on every Linux. */
const TICKS_PER_SECOND = 100

/** Uploads at once, and the bytes of each. */
const PARALLEL = 10
const PARALLEL_BYTES = 256 * MIB

/** A program that receives uploads. */
interface Receiver {
  pid: number
  /** @returns addresses for this number of uploads */
  open: (count: number) => Promise<string[]>
}

/** Duration and processor time of uploads. */
interface Taken {
  seconds: number
  /** Of the receiver's process. */
  cpuSeconds: number
  /** Growth of its memory in bytes. */
  growth: number
}

/**
 * One gigabyte through the edge: its memory, its speed compared with `cp` and `sync`, and its CPU time compared with a
 * loop that receives, hashes and writes. Then several uploads at once.
 */
export async function benchUpload(): Promise<Figure[]> {
  const { gateway, edgePid, folder, stop } = await startApart()
  let loop: Bun.Subprocess<'ignore', 'pipe', 'inherit'> | undefined
  try {
    const edge: Receiver = { pid: edgePid, open: (count) => uploadUrls(gateway, count) }
    loop = Bun.spawn([process.execPath, join(import.meta.dir, 'upload-server.ts'), folder], {
      stdout: 'pipe',
      stderr: 'inherit',
    })
    const reference = await loopOf(loop)
    const file = join(folder, 'gigabyte')
    await writeNoise(file, BYTES)
    const rounds: { copySeconds: number; edgeUpload: Taken; least: Taken }[] = []
    for (let round = 1; round <= ROUNDS; round++) {
      const copySeconds = await copy(file, join(folder, 'copy'))
      const least = await upload(reference, file)
      const edgeUpload = await upload(edge, file)
      rounds.push({ copySeconds, edgeUpload, least })
      console.log(
        `upload ${round}: cp + sync ${copySeconds.toFixed(2)} s, loop ${formatTimes(least)}, edge ${formatTimes(edgeUpload)}, ` +
          `memory +${(edgeUpload.growth / MIB).toFixed(0)} MiB`,
      )
    }
    const growth = Math.max(...rounds.map(({ edgeUpload }) => edgeUpload.growth)) / MIB
    const speed = median(rounds.map(({ copySeconds, edgeUpload }) => copySeconds / edgeUpload.seconds))
    const cpu = median(rounds.map(({ edgeUpload, least }) => edgeUpload.cpuSeconds / least.cpuSeconds))
    return [
      {
        what: 'upload 1 GiB: CPU seconds / loop that receives, hashes and writes',
        measured: cpu.toFixed(2),
        goal: '<= 1.1',
        isMet: cpu <= 1.1,
        summary: 'PUT of 1 GiB, CPU time of a minimal loop that receives, hashes and writes',
      },
      {
        what: 'upload 1 GiB: memory growth',
        measured: `${growth.toFixed(0)} MiB`,
        goal: '< 64 MiB',
        isMet: growth < 64,
      },
      { what: 'upload 1 GiB: speed / cp + sync', measured: speed.toFixed(2), goal: '>= 0.6', isMet: speed >= 0.6 },
      ...(await compareParallel(edge, folder)),
    ]
  } finally {
    loop?.kill()
    await loop?.exited
    await stop()
  }
}

/** The aggregate rate of several uploads at once, and their memory. */
async function compareParallel(edge: Receiver, folder: string): Promise<Figure[]> {
  const file = join(folder, 'part')
  await writeNoise(file, PARALLEL_BYTES)
  const rounds: { one: Taken; all: Taken }[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    const one = await upload(edge, file)
    const all = await upload(edge, file, PARALLEL)
    rounds.push({ one, all })
    console.log(`upload ${round}: one ${formatTimes(one)}, ${PARALLEL} at once ${formatTimes(all)}`)
  }
  const rate = median(rounds.map(({ one, all }) => (PARALLEL * one.seconds) / all.seconds))
  const growth = Math.max(...rounds.map(({ all }) => all.growth)) / MIB
  const what = `${PARALLEL} uploads of ${PARALLEL_BYTES / MIB} MiB at once`
  return [
    { what: `${what}: rate of all / rate of one`, measured: rate.toFixed(2), goal: '>= 1', isMet: rate >= 1 },
    {
      what: `${what}: memory growth`,
      measured: `${growth.toFixed(0)} MiB`,
      goal: '< 128 MiB',
      isMet: growth < 128,
    },
  ]
}

const formatTimes = ({ seconds, cpuSeconds }: Taken) => `${seconds.toFixed(2)} s (CPU ${cpuSeconds.toFixed(2)} s)`

async function uploadUrls(gateway: ServiceProcess, count: number): Promise<string[]> {
  const tracks = await Promise.all(Array.from({ length: count }, () => createTrack(gateway)))
  return tracks.map(({ uploadUrl }) => uploadUrl)
}

async function loopOf({ pid, stdout }: Bun.Subprocess<'ignore', 'pipe', 'inherit'>): Promise<Receiver> {
  const { value } = await stdout.getReader().read()
  const address = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}/`
  return { pid, open: async (count) => Array.from({ length: count }, () => address) }
}

/** Random bytes, repeated: no file system stores them for less, and making them does not take a minute. */
async function writeNoise(path: string, bytes: number): Promise<void> {
  const block = randomBytes(16 * MIB)
  const file = await open(path, 'wx')
  for (let written = 0; written < bytes; written += block.length) await file.write(block)
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

/** Sends a file in several uploads at once. Defaults to one. */
async function upload({ pid, open }: Receiver, file: string, count = 1): Promise<Taken> {
  const addresses = await open(count)
  const [memory, cpu] = [await memoryOf(pid), await cpuOf(pid)]
  let peak = memory
  const sampling = setInterval(async () => {
    peak = Math.max(peak, await memoryOf(pid))
  }, SAMPLE_MS)
  const began = performance.now()
  await Promise.all(
    addresses.map((address) => run(['curl', '-sS', '--fail-with-body', '-o', '/dev/null', '-T', file, address])),
  )
  const seconds = (performance.now() - began) / 1000
  const cpuSeconds = (await cpuOf(pid)) - cpu
  clearInterval(sampling)
  return { seconds, cpuSeconds, growth: peak - memory }
}

/** Resident memory of a process in bytes. */
export async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}

/** CPU time of a process in seconds. */
async function cpuOf(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

async function run(command: string[]): Promise<void> {
  const child = Bun.spawn(command, { stdout: 'ignore', stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`)
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
