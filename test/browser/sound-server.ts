import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../support/until.ts'

const MAX_START_MS = 10_000

export interface SoundServer {
  /** Environment of the programs that play through it. */
  env: Record<string, string>
  stop: () => Promise<void>
}

/** Starts PulseAudio with a device that plays into nothing: Firefox and WebKit play no sound without a device. */
export async function startSoundServer(): Promise<SoundServer> {
  const program = Bun.which('pulseaudio')
  if (!program) throw new Error('sound needs PulseAudio (Debian: apt-get install pulseaudio)')
  const folder = mkdtempSync(join(tmpdir(), 'tonearm-sound-'))
  const socket = join(folder, 'socket')
  const modules = ['module-null-sink', `module-native-protocol-unix auth-anonymous=1 socket=${socket}`]
  const server = Bun.spawn(
    [program, '-n', '--daemonize=no', '--exit-idle-time=-1', ...modules.flatMap((module) => ['-L', module])],
    { stdio: ['ignore', 'ignore', 'ignore'], env: { ...process.env, HOME: folder, XDG_RUNTIME_DIR: folder } },
  )
  const stop = async () => {
    server.kill()
    await server.exited
    rmSync(folder, { recursive: true, force: true })
  }
  await until('PulseAudio to listen', MAX_START_MS, () => existsSync(socket)).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return { env: { PULSE_SERVER: `unix:${socket}` }, stop }
}
