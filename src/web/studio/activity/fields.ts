import { type TextName, t } from '../../strings.ts'

/** Labels of the fields whose changes are recorded, by their names in GraphQL. */
const labels: Record<string, TextName> = {
  album: 'library.album',
  author: 'library.author',
  chapters: 'listen.chapters',
  collectionId: 'library.collection',
  coverSourceKey: 'organization.cover',
  creatorId: 'usage.creator',
  description: 'library.description',
  disabledAt: 'activity.disabled',
  discNumber: 'library.discNumber',
  domain: 'organization.domain',
  email: 'session.email',
  episode: 'library.episodeNumber',
  episodeType: 'library.episodeType',
  eventTypes: 'webhook.eventTypes',
  expiresAt: 'activity.expires',
  index: 'variant.index',
  isCoverOverridable: 'activity.coverInherited',
  isExplicit: 'library.isExplicit',
  isIndexable: 'organization.isIndexable',
  isThemeOverridable: 'activity.themeInherited',
  isrc: 'library.isrc',
  language: 'library.podcastLanguage',
  metadata: 'library.metadata',
  name: 'organization.name',
  organizationIndex: 'library.identifier',
  ownerEmail: 'library.ownerEmail',
  ownerName: 'library.ownerName',
  passwordHash: 'activity.password',
  playerColor: 'library.color',
  playerSubtitle: 'library.artist',
  playerTitle: 'library.title',
  podcastCategory: 'library.category',
  podcastType: 'library.podcastType',
  props: 'activity.props',
  publishedAt: 'library.publishedAt',
  recording: 'activity.recordingChanged',
  role: 'administrator.role',
  sealedTotpSecret: 'activity.secondFactor',
  season: 'library.season',
  secrets: 'activity.secrets',
  signingSecrets: 'activity.signingSecrets',
  title: 'library.title',
  trackNumber: 'library.trackNumber',
  transcription: 'library.transcription',
  transcriptionLanguage: 'library.language',
  url: 'webhook.url',
  year: 'library.year',
}

/** The label of a field in the forms. @param field its name in GraphQL */
export function labelOfField(field: string): string {
  const label = labels[field]
  return label ? t(label) : field
}
