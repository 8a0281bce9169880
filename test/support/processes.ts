import { readdirSync, readFileSync } from 'node:fs'

/** Command lines of all processes of this host, by process id. */
export function commandLines(): Map<number, string[]> {
  const commands = new Map<number, string[]>()
  for (const name of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      commands.set(Number(name), readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0'))
    } catch {
      // It has ended.
    }
  }
  return commands
}

/** Process ids of the programs that were started by this path, without the commands that lead to them. */
export const runsOf = (script: string): number[] =>
  [...commandLines()].filter(([, words]) => words[1] === script && words[0]?.endsWith('/sh')).map(([pid]) => pid)

/** Process id of a process's parent. */
export function parentOf(pid: number): number {
  // The name in front of these fields may contain spaces.
  return Number(/^.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1])
}
