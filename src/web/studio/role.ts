import { useSession } from '../session/use-session.ts'

/** Whether the administrator may change records. Viewers only read. */
export const useCanWrite = (): boolean => ['owner', 'admin'].includes(useSession().session?.role ?? '')

/** Whether the administrator may manage administrators. */
export const useIsOwner = (): boolean => useSession().session?.role === 'owner'
