import type { Pool } from 'pg'
import type { Config } from '../../config.ts'

/** Result of a check, printed as one line. */
export interface DoctorFinding {
  level: 'ok' | 'warning' | 'problem'
  /** Value, version or reason. */
  summary: string
  /** Null if there is nothing to do. */
  remedy: string | null
}

/** A check of `doctor`. It changes nothing, except for the object that the service itself writes to a bucket. */
export interface Check {
  name: string
  /** Settings that it depends on. It is left out while one of them is invalid. */
  settings?: readonly string[]
  run: (config: Config) => Promise<DoctorFinding[]> | DoctorFinding[]
}

/** A check that needs the database. It is left out while the database does not answer. */
export interface DatabaseCheck extends Omit<Check, 'run'> {
  run: (pool: Pool, config: Config) => Promise<DoctorFinding[]>
}

export const ok = (summary: string): DoctorFinding => ({ level: 'ok', summary, remedy: null })
export const warning = (summary: string, remedy: string): DoctorFinding => ({ level: 'warning', summary, remedy })
export const problem = (summary: string, remedy: string): DoctorFinding => ({ level: 'problem', summary, remedy })

/** Section of a guide, for remedies. */
export const guide = (section: string) => `see "${section}" in the guide "Run in production"`

export const describeError = (error: unknown) => (error instanceof Error ? error.message : String(error))

export const mebibytes = (bytes: number) => `${Math.floor(bytes / 2 ** 20).toLocaleString('en')} MiB`
