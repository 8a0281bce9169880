import type { JobState } from '../../platform/db/generated/client/enums.ts'

/** States of a job that waits or runs. */
export const unendedStates: JobState[] = ['queued', 'running']

/** The same as a condition of SQL. Its words are constants, so that it matches the conditions of indexes. */
export const IS_UNENDED = `state IN (${unendedStates.map((state) => `'${state}'`).join(', ')})`

/** Condition of the jobs that occupy slots of processing. All but a transcription, which waits for its provider. */
export const USES_PROCESSOR = `kind <> 'transcribe_track'`
