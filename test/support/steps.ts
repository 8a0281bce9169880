import { steps } from '../../src/domain/processing/pipeline/pipeline.ts'
import type { Services } from '../../src/platform/context.ts'
import type { Tracing } from '../../src/platform/tracing/tracing.ts'

/**
 * Moments of a run, in their order: before its task starts, at the begin of each step, before its first file is stored,
 * and after its end.
 */
export const moments = [
  'start',
  ...steps.flatMap(([name]) => (name === 'publish' ? ['first file', name] : [name])),
  'end',
] as const

/** An action at a moment. */
export interface Happening {
  moment: string
  act: () => Promise<void>
}

/**
 * Runs a task while things happen at moments of its run. Those of one moment happen in their order.
 * @param run the task, with the services that it is given
 */
export async function runWith<T>(
  services: Services,
  happenings: readonly Happening[],
  run: (services: Services) => Promise<T>,
): Promise<T> {
  const remaining = new Set(happenings)
  const at = async (moment: string) => {
    for (const happening of happenings) {
      if (happening.moment === moment && remaining.delete(happening)) await happening.act()
    }
  }
  const inSpan = (name: string, options: object, work: (span: null) => unknown) =>
    name.startsWith('step ')
      ? at(name.slice('step '.length)).then(() => services.tracing.inSpan(name, options, work as never))
      : services.tracing.inSpan(name, options, work as never)
  const { storage } = services
  let first: Promise<void> | undefined
  const put: typeof storage.put = async (...args) => {
    first ??= at('first file')
    await first
    return storage.put(...args)
  }
  await at('start')
  const tracing = { ...services.tracing, inSpan: inSpan as Tracing['inSpan'] }
  const result = await run({ ...services, tracing, storage: { ...storage, put } })
  await at('end')
  // A run that has ended early did not reach the other moments.
  for (const { act } of remaining) await act()
  return result
}
