import {
  AudioLines,
  Building2,
  ChartColumn,
  Disc3,
  History,
  House,
  type IconNode,
  KeyRound,
  Link2,
  ListChecks,
  MicVocal,
  SlidersHorizontal,
  Trash2,
  Upload,
  Users,
  Webhook,
} from 'lucide'
import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import type { TextName } from '../strings.ts'

/** Headings of the menu, in its order. */
export const areaGroups = ['library', 'audience', 'settings'] as const

interface Area {
  /** Below `/studio`, in the syntax of wouter. The first area is the start page. */
  path: string
  name: TextName
  group: (typeof areaGroups)[number]
  icon: IconNode
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
    name: 'studio.overview',
    group: 'library',
    icon: House,
    Page: lazy(() => import('./overview/overview.tsx')),
  },
  {
    path: '/collections',
    name: 'studio.collections',
    group: 'library',
    icon: Disc3,
    records: '/collection/',
    Page: lazy(() => import('./library/collections.tsx')),
  },
  {
    path: '/tracks',
    name: 'studio.tracks',
    group: 'library',
    icon: AudioLines,
    records: '/track/',
    Page: lazy(() => import('./library/tracks.tsx')),
  },
  {
    path: '/creators',
    name: 'studio.creators',
    group: 'library',
    icon: MicVocal,
    records: '/creator/',
    Page: lazy(() => import('./creator/creators.tsx')),
  },
  {
    path: '/uploads',
    name: 'studio.uploads',
    group: 'library',
    icon: Upload,
    Page: lazy(() => import('./upload/uploads.tsx')),
  },
  {
    path: '/processing',
    name: 'studio.processing',
    group: 'library',
    icon: ListChecks,
    Page: lazy(() => import('./processing/processing.tsx')),
  },
  {
    path: '/deleted',
    name: 'studio.deleted',
    group: 'library',
    icon: Trash2,
    Page: lazy(() => import('./deleted/deleted.tsx')),
  },
  {
    path: '/links',
    name: 'studio.links',
    group: 'audience',
    icon: Link2,
    Page: lazy(() => import('./link/links.tsx')),
  },
  {
    path: '/usage',
    name: 'studio.usage',
    group: 'audience',
    icon: ChartColumn,
    Page: lazy(() => import('./usage/usage.tsx')),
  },
  {
    path: '/organization',
    name: 'studio.organization',
    group: 'settings',
    icon: Building2,
    Page: lazy(() => import('./organization/organization.tsx')),
  },
  {
    path: '/administrators',
    name: 'studio.administrators',
    group: 'settings',
    icon: Users,
    Page: lazy(() => import('./administrator/administrators.tsx')),
  },
  {
    path: '/activity',
    name: 'studio.activity',
    group: 'settings',
    icon: History,
    Page: lazy(() => import('./activity/activity.tsx')),
  },
  {
    path: '/variants',
    name: 'studio.variants',
    group: 'settings',
    icon: SlidersHorizontal,
    Page: lazy(() => import('./variant/variants.tsx')),
  },
  {
    path: '/keys',
    name: 'studio.keys',
    group: 'settings',
    icon: KeyRound,
    Page: lazy(() => import('./access/keys.tsx')),
  },
  {
    path: '/webhooks',
    name: 'studio.webhooks',
    group: 'settings',
    icon: Webhook,
    Page: lazy(() => import('./webhook/webhooks.tsx')),
    nested: true,
  },
]

/** Pages that are not in the list of the menu: single records, results of the search, and the account, which its foot links. */
export const recordPages: readonly Pick<Area, 'path' | 'Page'>[] = [
  { path: '/account', Page: lazy(() => import('./account/account.tsx')) },
  { path: '/collection/:id/feeds', Page: lazy(() => import('./link/private-feeds.tsx')) },
  { path: '/collection/:id', Page: lazy(() => import('./library/collection.tsx')) },
  { path: '/creator/:id/:tab?', Page: lazy(() => import('./creator/creator.tsx')) },
  { path: '/search', Page: lazy(() => import('./library/found.tsx')) },
  { path: '/track/:id/:tab?', Page: lazy(() => import('./library/track.tsx')) },
]
