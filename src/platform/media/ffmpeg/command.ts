const known = new Map<string, boolean>()

/**
 * A wrapper command such as `setpriv --pdeathsig KILL`, or nothing where this machine does not allow it:
 * what bounds a child process differs between hosts, and the service runs with what is there.
 * @returns `wrapper` itself when `wrapper true` succeeds here, else an empty list
 */
export function availablePrefix(wrapper: string[]): string[] {
  const key = wrapper.join(' ')
  let works = known.get(key)
  if (works === undefined) {
    try {
      works = Bun.spawnSync([...wrapper, 'true'], { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0
    } catch {
      works = false
    }
    known.set(key, works)
  }
  return works ? wrapper : []
}
