import { useMemo } from 'react'
import { useData } from '../api.ts'
import { LinkPlaysDocument } from '../generated/operations.ts'
import { DAY_SECONDS } from '../time.ts'

const DAYS = 365

/** Play requests of the last 365 days by key. Undefined while they are read. */
export function usePlays(): ReadonlyMap<string, number> | undefined {
  const from = useMemo(() => new Date(Date.now() - DAYS * DAY_SECONDS * 1000).toISOString().slice(0, 10), [])
  const { data } = useData(LinkPlaysDocument, { from })
  return useMemo(
    () => data && new Map(data.usage.flatMap(({ keyId, requests }) => (keyId === null ? [] : [[keyId, requests]]))),
    [data],
  )
}
