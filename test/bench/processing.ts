import { readdir, readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { cleanUp, createPlace, createTrack, type ServiceProcess, startProcess } from '../faults/process.ts'
import { FFMPEG } from '../support/tools.ts'
import type { Figure } from './main.ts'
import { median } from './upload.ts'

const ROUNDS = 3
const TEN_MINUTES = 600
/** Seconds. */
export const HOUR = 3600
const MIB = 1 << 20
const SAMPLE_MS = 50
const ASK_MS = 100
/** Clock ticks a second in /proc. A constant of the kernel's interface to programs. */
const TICKS = 100

interface Spent {
  wallSeconds: number
  cpuSeconds: number
}

/** Time from the last byte of a recording to `ready`, compared with sequential ffmpeg commands; and the memory. */
export async function benchProcessing(): Promise<Figure[]> {
  const place = await createPlace()
  try {
    const service = await startProcess(place)
    const [ten, hour] = [join(place.folder, 'ten.flac'), join(place.folder, 'hour.flac')]
    await makeMusic(ten, TEN_MINUTES)
    // The first run compiles and fills caches, on both sides.
    const warm = join(place.folder, 'warm.flac')
    await makeMusic(warm, 10)
    await processRecording(service, warm)
    const rounds: { plain: Spent; ours: Spent }[] = []
    for (let round = 1; round <= ROUNDS; round++) {
      const plain = await plainCommands(ten, place.folder)
      const ours = await processRecording(service, ten)
      rounds.push({ plain, ours })
      console.log(`processing ${round}: ffmpeg one after another ${show(plain)}, ours ${show(ours)}`)
    }
    const wall = median(rounds.map(({ plain, ours }) => ours.wallSeconds / plain.wallSeconds))
    const cpu = median(rounds.map(({ plain, ours }) => ours.cpuSeconds / plain.cpuSeconds))
    await makeMusic(hour, HOUR)
    const peak = (await peakMemory(service.pid, () => processRecording(service, hour))) / MIB
    const all = await processRecording(service, hour)
    const one = await onOneCore(service.pid, () => processRecording(service, hour))
    const cores = availableParallelism()
    console.log(`processing of 1 h: ${show(all)} on ${cores} cores, ${show(one)} on one`)
    const gain = all.wallSeconds / one.wallSeconds
    return [
      {
        what: '10 min FLAC: wall / plain',
        measured: wall.toFixed(2),
        goal: '<= 0.60',
        isMet: wall <= 0.6,
        summary: 'time to process a 10-minute FLAC, of the plain ffmpeg commands one after another',
      },
      { what: '10 min FLAC: CPU / plain', measured: cpu.toFixed(2), goal: '<= 1.05', isMet: cpu <= 1.05 },
      {
        what: `1 h FLAC: wall on ${cores} cores / on one`,
        measured: gain.toFixed(2),
        goal: `<= ${(1.2 / Math.min(cores, 2)).toFixed(2)}`,
        isMet: gain <= 1.2 / Math.min(cores, 2),
      },
      {
        what: '1 h FLAC: memory of all media programs, and growth of the service',
        measured: `${peak.toFixed(0)} MiB`,
        goal: '<= 300 MiB',
        isMet: peak <= 300,
      },
    ]
  } finally {
    await cleanUp(place)
  }
}

/** Confines a process and its children to one core during some work. */
async function onOneCore<T>(pid: number, work: () => Promise<T>): Promise<T> {
  const confine = async (cores: string) => {
    const child = Bun.spawn(['taskset', '--all-tasks', '--pid', '--cpu-list', cores, String(pid)], { stdout: 'ignore' })
    if ((await child.exited) !== 0) throw new Error(`taskset ended with ${child.exitCode}`)
  }
  await confine('0')
  try {
    return await work()
  } finally {
    await confine(`0-${availableParallelism() - 1}`)
  }
}

const show = ({ wallSeconds, cpuSeconds }: Spent) => `${wallSeconds.toFixed(2)} s (CPU ${cpuSeconds.toFixed(2)} s)`

/** Chords over a beat and some noise, in stereo: encoders take as long as for music. */
export async function makeMusic(file: string, seconds: number): Promise<void> {
  const chord = (step: number) =>
    [220, 277.18, 329.63, 440].map((hz) => `0.12*sin(2*PI*${hz}*${step}*t)*(0.6+0.4*sin(2*PI*0.23*t))`).join('+')
  const beat = String.raw`0.5*sin(2*PI*55*t)*exp(-8*mod(t\,0.5))`
  const length = Math.min(seconds, 60)
  const sound = `aevalsrc=${chord(1)}+${beat}|${chord(1.5)}+${beat}:s=44100:d=${length}`
  const noise = `anoisesrc=color=pink:amplitude=0.25:sample_rate=44100:duration=${length}`
  const mixed = '[0:a][1:a]amix=inputs=2:duration=shortest,aformat=sample_fmts=s16:channel_layouts=stereo'
  const minute = `${file}.wav`
  await run(['-f', 'lavfi', '-i', sound, '-f', 'lavfi', '-i', noise, '-filter_complex', mixed, minute])
  await run(['-stream_loop', '-1', '-i', minute, '-t', String(seconds), file])
}

/** Commands that make the demo organization's variants by hand. */
async function plainCommands(source: string, folder: string): Promise<Spent> {
  const to = (name: string) => join(folder, name)
  const start = TEN_MINUTES / 4
  const commands = [
    ['-i', source, '-c:a', 'aac', '-b:a', '192k', '-movflags', '+faststart', to('hq.m4a')],
    ['-i', source, '-c:a', 'libopus', '-b:a', '64k', to('lq.opus')],
    ['-ss', String(start), '-t', '30', '-i', source, '-c:a', 'libmp3lame', '-b:a', '128k', to('preview.mp3')],
    ['-i', source, '-ac', '1', '-ar', '8000', '-f', 's16le', '-c:a', 'pcm_s16le', to('levels.raw')],
  ]
  const spent = { wallSeconds: 0, cpuSeconds: 0 }
  for (const args of commands) {
    const { wallSeconds, cpuSeconds } = await run(args)
    spent.wallSeconds += wallSeconds
    spent.cpuSeconds += cpuSeconds
  }
  return spent
}

async function run(args: string[]): Promise<Spent> {
  const began = performance.now()
  const child = Bun.spawn([FFMPEG, '-nostdin', '-v', 'error', '-y', ...args], { stdout: 'ignore', stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error(`ffmpeg ${args.join(' ')} failed`)
  const cpuSeconds = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6
  return { wallSeconds: (performance.now() - began) / 1000, cpuSeconds }
}

/** Uploads a recording and waits until it is ready. */
export async function processRecording(service: ServiceProcess, file: string): Promise<Spent> {
  const { id, uploadUrl } = await createTrack(service)
  await runCurl(file, uploadUrl)
  const began = performance.now()
  const cpuBefore = await cpuOf(service.pid)
  await untilReady(service, id)
  const wallSeconds = (performance.now() - began) / 1000
  return { wallSeconds, cpuSeconds: (await cpuOf(service.pid)) - cpuBefore }
}

/**
 * Returns the largest memory of a service's programs during some work, beyond what the service takes before. Sampling
 * costs time: the work must not be timed.
 */
async function peakMemory(pid: number, work: () => Promise<unknown>): Promise<number> {
  const idleBytes = await memoryOf([pid])
  let peakBytes = 0
  let isRunning = true
  const watch = (async () => {
    for (; isRunning; await Bun.sleep(SAMPLE_MS)) {
      peakBytes = Math.max(peakBytes, (await memoryOf(await mediaPrograms(pid))) - idleBytes)
    }
  })()
  await work().finally(() => {
    isRunning = false
  })
  await watch
  return peakBytes
}

/** Polls rarely: the cost of the answers is not part of the processing. */
async function untilReady(service: ServiceProcess, id: string): Promise<void> {
  for (;;) {
    const { track_status_id: status, status_text } = (await service.v1('GET', `/track/${id}`)).json.track
    if (status === 'ready') return
    if (/error|incomplete/.test(status)) throw new Error(`the track is ${status}: ${status_text}`)
    await Bun.sleep(ASK_MS)
  }
}

async function runCurl(file: string, url: string): Promise<void> {
  const child = Bun.spawn(['curl', '-sS', '--fail-with-body', '-o', '/dev/null', '-T', file, url], {
    stderr: 'inherit',
  })
  if ((await child.exited) !== 0) throw new Error(`curl ended with ${child.exitCode}`)
}

/** CPU seconds of a process and of all its children that have ended, and theirs. */
async function cpuOf(pid: number): Promise<number> {
  const [, ...fields] = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? []
  // utime, stime, cutime, cstime (proc(5), fields 14 to 17).
  return fields.slice(10, 14).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS
}

/** The service and its children, without the database. */
async function mediaPrograms(root: number): Promise<number[]> {
  const parents = new Map<number, number>()
  const names = new Map<number, string>()
  for (const name of await readdir('/proc')) {
    const stat = /^\d+$/.test(name) && (await readFile(`/proc/${name}/stat`, 'utf8').catch(() => ''))
    const match = stat && /^(\d+) \((.*)\) \S (\d+)/s.exec(stat)
    if (!match) continue
    parents.set(Number(match[1]), Number(match[3]))
    names.set(Number(match[1]), match[2] ?? '')
  }
  const isOurs = (pid: number): boolean =>
    pid === root || (!/postgres/.test(names.get(pid) ?? '') && parents.has(pid) && isOurs(parents.get(pid) ?? 0))
  return [...parents.keys()].filter(isOurs)
}

/** Proportional resident memory in bytes. */
export async function memoryOf(pids: readonly number[]): Promise<number> {
  const sizes = pids.map(async (pid) => {
    const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
    return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1024
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
