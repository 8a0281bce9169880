import { type ExecutionArgs, type ExecutionResult, getOperationAST } from 'graphql'
import type { Metrics } from '../metrics.ts'

type Operation = Pick<ExecutionArgs, 'document' | 'operationName'>

/** Starts to measure an operation. @returns a function that records its end */
export type MeasureOperation = (operation: Operation) => (result: unknown) => void

/** Creates the function that measures operations by their type: names of operations are chosen by clients. */
export const createMeasureOperation =
  ({ operationSeconds }: Pick<Metrics, 'operationSeconds'>): MeasureOperation =>
  ({ document, operationName }) => {
    const began = performance.now()
    return (result) => {
      const type = getOperationAST(document, operationName)?.operation ?? 'unknown'
      const outcome = (result as ExecutionResult).errors ? 'error' : 'ok'
      operationSeconds.of(type, outcome).observe((performance.now() - began) / 1000)
    }
  }
