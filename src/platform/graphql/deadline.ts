import { type ExecutionResult, GraphQLError } from 'graphql'
import { AppError, toAppError } from '../errors.ts'

export type Deadline = ReturnType<typeof startDeadline>

// Created once, because creating an error with its stack for each request takes 2 % of its CPU time.
const clientLeft = new AppError('timeout', 'The client has disconnected.')
const answered = new AppError('timeout', 'The request has been answered.')

/**
 * Bounds the time that a request may take. Its signal fires after that time, when the client leaves, and when the
 * request has been answered: what a resolver started must not outlive the request.
 * @param client fires when the client closes the connection
 */
export function startDeadline(seconds: number, client: AbortSignal) {
  const controller = new AbortController()
  const { signal } = controller
  const leave = () => controller.abort(clientLeft)
  const late = () => controller.abort(new AppError('timeout', `query: exceeds the time limit of ${seconds} s`))
  const startTimer = () => setTimeout(late, seconds * 1000)
  let timer = startTimer()
  if (client.aborted) leave()
  else client.addEventListener('abort', leave, { once: true })
  return {
    signal,
    /** Removes the time limit: the answer is a stream that lasts as long as its client. */
    lift: () => clearTimeout(timer),
    /** Sets the time limit again: an event of the stream is answered. */
    start: () => {
      timer = startTimer()
    },
    /** Ends the request with an error in place of its result. */
    stop: (reason: AppError) => controller.abort(reason),
    /** The request has been answered, or its stream has ended. */
    end: () => {
      clearTimeout(timer)
      client.removeEventListener('abort', leave)
      controller.abort(answered)
    },
    /** Returns the result, or a timeout error. Ignores the result of work that continues. */
    async inTime<T>(work: PromiseLike<T>): Promise<T | ExecutionResult> {
      const { promise: end, resolve } = Promise.withResolvers<undefined>()
      const finish = () => resolve(undefined)
      if (signal.aborted) finish()
      signal.addEventListener('abort', finish, { once: true })
      const result = await Promise.race([work, end]).finally(() => signal.removeEventListener('abort', finish))
      // Fields that the signal has aborted may have produced a partial result.
      if (result !== undefined && !signal.aborted)
        return isLate(result as ExecutionResult) ? withoutData(result as ExecutionResult) : result
      return { errors: [new GraphQLError(signal.reason.message, { originalError: signal.reason })] }
    },
  }
}

/** Whether the database canceled the statements before the signal fired, so that there is no result. */
const isLate = ({ data, errors = [] }: ExecutionResult) =>
  data == null && errors.some(({ originalError }) => toAppError(originalError).code === 'timeout')

/** Reported like a timeout: nothing was executed. */
const withoutData = ({ errors }: ExecutionResult): ExecutionResult => ({ errors })
