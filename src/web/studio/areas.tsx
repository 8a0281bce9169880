import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import type { TextName } from '../strings.ts'

interface Area {
  /** Below `/studio`, in the syntax of wouter. The first area is the start page. */
  path: string
  name: TextName
  Page: LazyExoticComponent<ComponentType>
  /** Other addresses of the same area. */
  nested?: boolean
  /** Start of the addresses of its records, which the menu shows as this area. */
  records?: string
}

/** The parts of the studio, in the order of the menu. Each is loaded when it is opened. */
export const areas: readonly Area[] = [
  {
    path: '/',
    name: 'studio.collections',
    records: '/collection/',
    Page: lazy(() => import('./library/collections.tsx')),
  },
  { path: '/tracks', name: 'studio.tracks', records: '/track/', Page: lazy(() => import('./library/tracks.tsx')) },
  { path: '/uploads', name: 'studio.uploads', Page: lazy(() => import('./upload/uploads.tsx')) },
  { path: '/links', name: 'studio.links', Page: lazy(() => import('./link/links.tsx')) },
  { path: '/keys', name: 'studio.keys', Page: lazy(() => import('./access/keys.tsx')) },
  { path: '/usage', name: 'studio.usage', Page: lazy(() => import('./usage/usage.tsx')) },
  { path: '/variants', name: 'studio.variants', Page: lazy(() => import('./variant/variants.tsx')) },
  { path: '/webhooks', name: 'studio.webhooks', Page: lazy(() => import('./webhook/webhooks.tsx')), nested: true },
  { path: '/organization', name: 'studio.organization', Page: lazy(() => import('./organization/organization.tsx')) },
  {
    path: '/administrators',
    name: 'studio.administrators',
    Page: lazy(() => import('./administrator/administrators.tsx')),
  },
  { path: '/deleted', name: 'studio.deleted', Page: lazy(() => import('./deleted/deleted.tsx')) },
]

/** Pages that are not in the menu: single records, and results of the search in the header. */
export const recordPages: readonly Pick<Area, 'path' | 'Page'>[] = [
  { path: '/collection/:id', Page: lazy(() => import('./library/collection.tsx')) },
  { path: '/search', Page: lazy(() => import('./library/found.tsx')) },
  { path: '/track/:id', Page: lazy(() => import('./library/track.tsx')) },
]
