import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** What is needed to show a program nothing of the disk but itself and the files of its task. */
export interface FileView {
  /** Gives it mounts of its own. */
  unshare: readonly string[]
  shell: string
  mount: string
  /** Whether it has a process namespace of its own, and with it a /proc that shows no other process. */
  hasProc?: boolean
}

/** Where programs and their libraries lie; whatever of it there is. */
const programFolders = ['/usr', '/bin', '/lib', '/lib32', '/lib64', '/etc/alternatives', '/nix/store']

/** Devices that programs need to start at all: some draw random numbers from one. */
const devices = ['/dev/null', '/dev/urandom']

/** Read-only: a program that runs as root could change the kernel's settings, rights or not. */
const PROC = 'proc /proc proc ro,nosuid,nodev,noexec,subset=pid,X-mount.mkdir 0 0\n'

/** A mount point that every Linux has and no media program needs; the new root covers it in the run's own view. */
const ROOT = '/sys'

interface Visible {
  /** As the command names it. The mount follows links, so that the view has the file itself at this path. */
  path: string
  isWritable: boolean
}

/**
 * The files and folders that a command names are all that it may see: files to read, the folders of files after `-y`
 * to write to, and `cwd`.
 * @param program absolute path
 */
export function visibleTo(program: string, args: readonly string[], cwd?: string): Visible[] {
  const named = args.flatMap((arg, at) => {
    const path = /^(?:file:)?(\/.*)$/s.exec(arg)?.[1]
    if (!path) return []
    if (args[at - 1] === '-y') return [{ path: dirname(path), isWritable: true }]
    return isFile(path) ? [{ path, isWritable: false }] : []
  })
  const folder = cwd ? [{ path: cwd, isWritable: true }] : []
  const isProgram = (path: string) => programFolders.some((top) => path.startsWith(`${top}/`))
  // A link in a program folder may lead out of it.
  const tool = [program, realpathSync(program)].map((path) => ({ path, isWritable: false }))
  // Later mounts cover earlier ones: a recording in a folder for results stays read-only.
  const all = [...folder, ...named.toSorted((a, b) => Number(b.isWritable) - Number(a.isWritable)), ...tool]
  const paths = new Set<string>()
  return all.filter(({ path }) => !isProgram(path) && !paths.has(path) && paths.add(path))
}

/**
 * The command that runs another one in a root of its own, with nothing in it but programs, libraries and `visible`.
 * @param command in front of it is nothing that needs to see more
 */
export function inView(view: FileView, visible: readonly Visible[], cwd: string | undefined, command: string[]) {
  const present = [...programFolders, ...devices].filter((path) => existsSync(path))
  const always = present.map((path) => ({ path, isWritable: false }))
  const files = [...always, ...visible].filter(({ path }) => !isFolder(path)).map(({ path }) => ROOT + path)
  const script = [
    'set -e',
    `${view.mount} -t tmpfs -o mode=755,size=1m tmpfs ${ROOT}`,
    // Folders are made by mount, files it expects to be there.
    ...(files.length > 0 ? [`mkdir -p ${files.map((path) => quoted(dirname(path))).join(' ')}`] : []),
    ...files.map((path) => `: > ${quoted(path)}`),
    `printf %s ${quoted([...always, ...visible].map(mountLine).join('') + (view.hasProc ? PROC.replace(' /proc', ` ${ROOT}/proc`) : ''))} > ${ROOT}/mounts`,
    `${view.mount} -a -T ${ROOT}/mounts`,
    `exec ${view.unshare[0]} --root=${ROOT} --wd=${quoted(cwd ?? '/')} "$@"`,
  ].join('\n')
  return [...view.unshare, view.shell, '-c', script, 'sh', ...command]
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

function mountLine({ path, isWritable }: Visible): string {
  // fstab(5): octal for what would end a field.
  const escaped = path.replace(/[\s\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`)
  return `${escaped} ${ROOT}${escaped} none rbind,X-mount.mkdir${isWritable ? '' : ',ro'} 0 0\n`
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
