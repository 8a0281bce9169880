import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import type { TextName } from '../strings.ts'

interface Area {
  /** Below `/studio`, in the syntax of wouter. The first area is the start page. */
  path: string
  name: TextName
  Page: LazyExoticComponent<ComponentType>
  /** Other addresses of the same area. */
  nested?: boolean
}

/** The parts of the studio, in the order of the menu. Each is loaded when it is opened. */
export const areas: readonly Area[] = [
  { path: '/', name: 'studio.collections', Page: lazy(() => import('./library/collections.tsx')) },
  { path: '/keys', name: 'studio.keys', Page: lazy(() => import('./access/keys.tsx')) },
  { path: '/webhooks', name: 'studio.webhooks', Page: lazy(() => import('./webhook/webhooks.tsx')), nested: true },
]
