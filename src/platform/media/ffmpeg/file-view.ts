import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Commands that restrict a program's view of the disk to itself and the files of its task. */
export interface FileView {
  /** Command that creates a mount namespace, and others. */
  namespaces: readonly string[]
  unshare: string
  shell: string
  mount: string
  /**
   * Whether the program has a /proc, which shows the processes of its own namespace. Only safe with such a namespace:
   * /proc/<pid>/root of another process leads out of the view.
   */
  hasProc?: boolean
}

/** Folders of programs and libraries; those that exist are mounted. */
const programFolders = ['/usr', '/bin', '/lib', '/lib32', '/lib64', '/etc/alternatives', '/nix/store']

/** Devices that programs need to start; some read random numbers. */
const devices = ['/dev/null', '/dev/urandom']

/** Read-only, because a program that runs as root could change kernel settings even without capabilities. */
const PROC = 'proc /proc proc ro,nosuid,nodev,noexec,subset=pid,X-mount.mkdir 0 0\n'

/**
 * A mount point that exists on every Linux and that no media program needs. The new root covers it, in this namespace
 * only.
 */
const ROOT = '/sys'

interface Visible {
  /** Path as the command names it. The mount follows links, so the view has the file itself at this path. */
  path: string
  isWritable: boolean
  /** Whether it is a recording or a picture, and no part of a program. */
  isData?: boolean
  isDevice?: boolean
}

/**
 * Returns the files and folders that a command names: files to read, the folders of files after `-y` to write to, and
 * `cwd`. A program sees no others.
 * @param program absolute path
 */
export function visibleTo(program: string, args: readonly string[], cwd?: string): Visible[] {
  const named = args.flatMap((arg, at): Visible[] => {
    const path = /^(?:file:)?(\/.*)$/s.exec(arg)?.[1]
    if (!path) return []
    if (args[at - 1] === '-y') return [{ path: dirname(path), isWritable: true }]
    return isFile(path) ? [{ path, isWritable: false, isData: true }] : []
  })
  const folder = cwd ? [{ path: cwd, isWritable: true }] : []
  const isProgram = (path: string) => programFolders.some((top) => path.startsWith(`${top}/`))
  // A link in a program folder may point outside of it.
  const tool = [program, realpathSync(program)].map((path) => ({ path, isWritable: false }))
  // Later mounts cover earlier ones, so a recording in a results folder stays read-only.
  const all = [...folder, ...named.toSorted((a, b) => Number(b.isWritable) - Number(a.isWritable)), ...tool]
  const paths = new Set<string>()
  return all.filter(({ path }) => !isProgram(path) && !paths.has(path) && paths.add(path))
}

/**
 * Returns the command that runs another one in a new root that contains only programs, libraries and `visible`.
 * @param command without wrappers that need other files
 */
export function inView(view: FileView, visible: readonly Visible[], cwd: string | undefined, command: string[]) {
  const present = [...programFolders, ...devices].filter((path) => existsSync(path))
  const always = present.map((path) => ({ path, isWritable: false, isDevice: devices.includes(path) }))
  const files = [...always, ...visible].filter(({ path }) => !isFolder(path)).map(({ path }) => ROOT + path)
  const proc = view.hasProc ? PROC.replace(' /proc', ` ${ROOT}/proc`) : ''
  const script = [
    'set -e',
    `${view.mount} -t tmpfs -o mode=755,size=1m tmpfs ${ROOT}`,
    // mount creates folders, but expects files to exist.
    ...(files.length > 0 ? [`mkdir -p ${files.map((path) => quoted(dirname(path))).join(' ')}`] : []),
    ...files.map((path) => `: > ${quoted(path)}`),
    `printf %s ${quoted([...always, ...visible].map(mountLine).join('') + proc)} > ${ROOT}/mounts`,
    `${view.mount} -a -T ${ROOT}/mounts`,
    `exec ${view.unshare} --root=${ROOT} --wd=${quoted(cwd ?? '/')} "$@"`,
  ].join('\n')
  return [...view.namespaces, view.shell, '-c', script, 'sh', ...command]
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/**
 * Options of a mount that is only read. The kernel locks those of the host's file systems in a user namespace, and mount(8)
 * before 2.39 removes all that are not named: without nosuid and noexec, `ro` is refused for a /dev of systemd.
 */
function readOnlyOptions({ isData, isDevice }: Visible): string {
  if (isDevice) return ',ro,nosuid,noexec'
  return isData ? ',ro,nosuid,nodev,noexec' : ',ro,nosuid,nodev'
}

function mountLine(visible: Visible): string {
  // fstab(5): octal for characters that end a field.
  const escaped = visible.path.replace(/[\s\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`)
  const options = visible.isWritable ? '' : readOnlyOptions(visible)
  return `${escaped} ${ROOT}${escaped} none rbind,X-mount.mkdir${options} 0 0\n`
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
