const answers = new Map<string, boolean>()

/**
 * Returns a wrapper command such as `setpriv --pdeathsig KILL` if this host allows it. The means to bound a child
 * process differ between hosts, and the service uses those that are available.
 * @returns `wrapper` when `wrapper true` succeeds here, else an empty list
 */
export function availablePrefix(wrapper: string[]): string[] {
  const key = wrapper.join(' ')
  let works = answers.get(key)
  if (works === undefined) {
    try {
      works = Bun.spawnSync([...wrapper, 'true'], { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0
    } catch {
      works = false
    }
    answers.set(key, works)
  }
  return works ? wrapper : []
}
