import { OperatorError } from '../../config.ts'
import { checkPort, type Port } from '../listen.ts'

/**
 * Claims the ports of this supervisor and its processes. SO_REUSEPORT alone would let a second service join them without
 * an error: each port is first bound exclusively, and an abstract socket with its name is kept for as long as the supervisor
 * lives, so that two supervisors that start at the same time do not both pass. Linux only.
 * @throws OperatorError when a port cannot be used
 */
export async function claimPorts(hostname: string, ports: Port[]): Promise<{ release: () => void }> {
  using claimed = new DisposableStack()
  for (const port of ports) {
    const name = claim(hostname, port)
    claimed.defer(() => name.stop(true))
    await checkPort(hostname, port)
  }
  const all = claimed.move()
  return { release: () => all.dispose() }
}

function claim(hostname: string, { setting, port }: Port) {
  try {
    return Bun.listen({
      unix: `\0tonearm/${hostname}:${port}`,
      socket: { open: (socket) => void socket.end(), data: () => {} },
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new OperatorError(`${setting}: ${hostname}:${port} is in use by another process`, { cause: error })
  }
}
