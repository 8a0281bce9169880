// A machine that systemd runs, in a container of systemd-nspawn: the file system of this machine with a layer of its own above it.
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../support/until.ts'

const PROGRAMS = ['systemd-nspawn', 'systemd-analyze', 'systemctl', 'nsenter', 'mount']
/** Programs that are missing, and the rights of root if they are. Tests are skipped by this name. */
export const missingPrograms = [
  ...PROGRAMS.filter((name) => !Bun.which(name)),
  ...(process.getuid?.() === 0 ? [] : ['root']),
]

/** Runs a command. @returns its standard output. @throws with its output when it fails */
export async function runCommand(command: string[]): Promise<string> {
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}\n${stdout}\n${stderr}`)
  return stdout
}

/** Creates the file system of a machine. Changes are in memory. */
export async function createMachine() {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-machine-'))
  const [layer, root] = [join(folder, 'layer'), join(folder, 'root')]
  await mkdir(layer)
  await mkdir(root)
  await runCommand(['mount', '-t', 'tmpfs', '-o', 'size=2g', 'tmpfs', layer])
  const [upper, work] = [join(layer, 'upper'), join(layer, 'work')]
  await mkdir(upper)
  await mkdir(work)
  await runCommand(['mount', '-t', 'overlay', 'overlay', '-o', `lowerdir=/,upperdir=${upper},workdir=${work}`, root])
  let program: Bun.Subprocess | undefined
  const log = join(folder, 'machine.log')

  /** Process id of systemd, the first process of the machine. */
  const findInit = () => {
    const children = readFileSync(`/proc/${program?.pid}/task/${program?.pid}/children`, 'utf8').trim().split(' ')
    return children.find(
      (pid) => existsSync(`/proc/${pid}/comm`) && readFileSync(`/proc/${pid}/comm`, 'utf8') === 'systemd\n',
    )
  }
  /** Runs a command inside of the running machine. */
  const run = (...command: string[]) =>
    runCommand(['nsenter', '--target', findInit() ?? '', '--mount', '--uts', '--ipc', '--pid', '--root', ...command])

  return {
    root,
    run,
    /** Runs a command on the file system of a machine that does not run. */
    prepare: (...command: string[]) => runCommand(['chroot', root, ...command]),
    /** Starts systemd with this unit. The network is that of this machine. */
    async boot(unit: string): Promise<void> {
      const options = ['--settings=no', '--resolv-conf=off', '--timezone=off', '--link-journal=no', '--console=pipe']
      program = Bun.spawn(
        ['systemd-nspawn', '-D', root, ...options, '--register=no', '--keep-unit', '--boot', `systemd.unit=${unit}`],
        { stdio: ['ignore', Bun.file(log), Bun.file(log)] },
      )
      await until('systemd to run', 30_000, async () => {
        if (program?.exitCode !== null) throw new Error(readFileSync(log, 'utf8'))
        return findInit() && run('systemctl', 'is-active', 'basic.target').catch(() => null)
      })
    },
    async remove(): Promise<void> {
      program?.kill('SIGKILL')
      await program?.exited
      await until('the machine to end', 10_000, () =>
        runCommand(['umount', root]).then(
          () => true,
          () => false,
        ),
      )
      await runCommand(['umount', layer])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
