/**
 * Lines that the shell in front of a media program writes to standard error. Text of a recording can only follow the
 * first one, so that it is never taken for a message of a command around the program.
 */
const STARTED = 'tonearm: started\n'
const ENDED = 'tonearm: ended\n'

const write = (line: string) => `echo '${line.trimEnd()}' >&2`

/** Command in front of a program outside of a process namespace. */
export const announced = ['/bin/sh', '-c', `${write(STARTED)}; exec "$@"`, 'sh']

/**
 * First process of the namespace of a media program. The kernel drops signals for a first process that would end any
 * other one, such as SIGXCPU and SIGABRT. Exits with 128 and the number of the signal that ended the program.
 */
export const firstProcess = ['/bin/sh', '-c', `${write(STARTED)}; "$@"; status=$?; ${write(ENDED)}; exit $status`, 'sh']

/** Messages of the commands around a program are shorter. */
const MAX_HEAD_CHARS = 65_536

/** Standard error without the lines. */
export interface Marked {
  messages: string
  /** Whether all commands around the program succeeded. */
  hasStarted: boolean
  /** Whether the first process of a namespace outlived the program. */
  hasEnded: boolean
}

/** Finds the lines in standard error. */
export function markerReader() {
  let head = ''
  return {
    /** Adds text, from the start on. */
    read(text: string): void {
      if (head.length < MAX_HEAD_CHARS) head += text
    },
    /** @param tail all of standard error, or its end */
    end(tail: string): Marked {
      const hasStarted = `\n${head}`.includes(`\n${STARTED}`)
      const hasEnded = hasStarted && tail.endsWith(ENDED)
      const messages = (hasEnded ? tail.slice(0, -ENDED.length) : tail).replace(STARTED, '')
      return { messages, hasStarted, hasEnded }
    },
  }
}
