import { useLastSession } from './last-session.ts'

/** Whether the administrator may change records. Viewers only read. */
export const useCanWrite = (): boolean => ['owner', 'admin'].includes(useLastSession()?.role ?? '')

/** Whether the administrator may manage administrators. */
export const useIsOwner = (): boolean => useLastSession()?.role === 'owner'
