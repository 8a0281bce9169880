/** A tool of agents: a GraphQL operation that has a name. */
export interface ToolSource {
  /** For people. */
  title: string
  /** Its operation has the name of the tool. Its variables are the arguments. */
  operation: string
  /** Text for agents beyond the description of the field that the operation selects. */
  hint?: string
  /** Whether it ends or removes something that exists. Defaults to false. */
  isDestructive?: boolean
  /** Whether the service requests an address of the arguments. Defaults to false. */
  isOpenWorld?: boolean
}

const TRACK = 'id title artist album trackNumber duration status statusText createdAt collection { id title }'
const PROCESSING = `
  id title fileNameOriginal duration status statusCode statusText progressPercent uploadCompletedAt filesCompletedAt
  files { id state statusCode statusText isStale variant { id index variantTypeId } }
  jobs(first: 10) { nodes { id kind state error attempts retryAt createdAt finishedAt variant { index } transcriptionProgress { doneSeconds } } }
  qualityReport { findings { code severity text atSeconds } }
  analysis { integratedLufs truePeakDbtp leadingSilenceSeconds trailingSilenceSeconds damagedAtSeconds }`
const COLLECTION = 'id title author description language organizationIndex createdAt creator { id organizationIndex }'
const LINK = `id title pageUrl isActive opensAt expiresAt maxPlays countedPlays maxDailyListeners maxConcurrentListeners hasPassword
  isDownloadable sites countries lastUsedAt trackId collectionId variant { index }`
const PAGE = 'pageInfo { hasNextPage endCursor }'

/** Tools in the order in which agents list them. */
export const toolSources: readonly ToolSource[] = [
  {
    title: 'Find tracks',
    hint: 'Without a search it returns the newest ones. `endCursor` as `after` continues.',
    operation: `query find_tracks($search: String, $collectionId: ID, $creatorId: ID, $status: [TrackStatus!],
      $first: Int = 20, $after: String, $orderBy: TrackOrder) {
      tracks(filter: { search: $search, collectionId: $collectionId, creatorId: $creatorId, status: $status },
        first: $first, after: $after, orderBy: $orderBy) { nodes { ${TRACK} } ${PAGE} }
    }`,
  },
  {
    title: 'Read a track',
    operation: `query get_track($id: ID!) {
      track(id: $id) {
        ${TRACK} description discNumber year isrc isExplicit season episode publishedAt metadata organizationIndex
        fileNameOriginal sourceBytes sourceSha256 transcriptionLanguage
        chapters { startSeconds title }
        creator { id organizationIndex }
      }
    }`,
  },
  {
    title: 'Explain the processing of a track',
    hint: 'States and reasons of the upload, of each file and of the last ten jobs, and what the quality report found.',
    operation: `query explain_track($id: ID!) { track(id: $id) { ${PROCESSING} } }`,
  },
  {
    title: 'Read a transcript',
    hint: 'As text without times, unless another form is asked for. `get_translation` reads the other languages.',
    operation: `query get_transcript($id: ID!, $form: TranscriptForm = TXT) {
      track(id: $id) { id title transcriptionLanguage transcript(form: $form) translations { language form } }
    }`,
  },
  {
    title: 'Read a translation of a transcript',
    operation: `query get_translation($id: ID!, $language: String!, $form: TranscriptForm = TXT) {
      track(id: $id) { id title translations(language: $language) { language transcript(form: $form) updatedAt } }
    }`,
  },
  {
    title: 'Find what is said',
    hint: 'Up to three passages of each track. `startSeconds` is the place in the recording, which a page of a link opens with `?t=`.',
    operation: `query find_in_transcripts($search: String!, $collectionId: ID, $creatorId: ID, $first: Int = 5, $after: String) {
      tracks(filter: { transcript: $search, collectionId: $collectionId, creatorId: $creatorId }, first: $first, after: $after) {
        nodes { ${TRACK} transcriptHits(search: $search) { startSeconds language speaker parts { text isMatch } } } ${PAGE}
      }
    }`,
  },
  {
    title: 'Find collections',
    operation: `query find_collections($search: String, $creatorId: ID, $first: Int = 20, $after: String) {
      collections(filter: { search: $search, creatorId: $creatorId }, first: $first, after: $after) {
        nodes { ${COLLECTION} } ${PAGE}
      }
    }`,
  },
  {
    title: 'Read a collection',
    hint: 'With its tracks in their order.',
    operation: `query get_collection($id: ID!, $first: Int = 50, $after: String) {
      collection(id: $id) {
        ${COLLECTION} isExplicit podcastType podcastCategory ownerName ownerEmail metadata
        tracks(first: $first, after: $after, orderBy: { field: ORDER, direction: ASC }) { nodes { ${TRACK} } ${PAGE} }
      }
    }`,
  },
  {
    title: 'Find creators',
    operation: `query find_creators($search: String, $first: Int = 20, $after: String) {
      creators(filter: { search: $search }, first: $first, after: $after) { nodes { id organizationIndex metadata createdAt } ${PAGE} }
    }`,
  },
  {
    title: 'List variants',
    hint: 'A share link needs one.',
    operation: `query list_variants($first: Int = 50, $after: String) {
      variants(first: $first, after: $after) { nodes { id index variantTypeId } ${PAGE} }
    }`,
  },
  {
    title: 'List share links',
    operation: `query list_share_links($collectionId: ID, $trackId: ID, $search: String, $first: Int = 20, $after: String) {
      keys(filter: { kind: SHARE, isRevoked: false, collectionId: $collectionId, trackId: $trackId, search: $search },
        first: $first, after: $after) { nodes { ${LINK} } ${PAGE} }
    }`,
  },
  {
    title: 'Read plays',
    hint: '`top` returns the rows with the most listens.',
    operation: `query get_usage($from: DateTime, $to: DateTime, $groupBy: [UsageGroup!], $creatorId: ID,
      $collectionId: ID, $trackId: ID, $top: Int) {
      usage(from: $from, to: $to, groupBy: $groupBy, creatorId: $creatorId, collectionId: $collectionId,
        trackId: $trackId, top: $top) {
        day creatorId collectionId trackId keyId variantId requests listens
      }
    }`,
  },
  {
    title: 'Read the audience',
    operation: `query get_audience($by: AudienceKind!, $from: DateTime, $to: DateTime, $creatorId: ID, $collectionId: ID,
      $top: Int) {
      audience(by: $by, from: $from, to: $to, creatorId: $creatorId, collectionId: $collectionId, top: $top) { value listens }
    }`,
  },
  {
    title: 'Read how much of a track is heard',
    operation: `query get_retention($trackId: ID!, $from: DateTime, $to: DateTime) {
      retention(trackId: $trackId, from: $from, to: $to) { durationSeconds listenings averageSeconds hundredths }
    }`,
  },
  {
    title: 'Read storage',
    operation: `query get_storage_usage($groupBy: [StorageGroup!]) {
      storageUsage(groupBy: $groupBy) { creatorId collectionId sourceBytes fileBytes }
    }`,
  },
  {
    title: 'Create a collection',
    operation: `mutation create_collection($input: CreateCollectionInput!) {
      createCollection(input: $input) { collection { ${COLLECTION} } }
    }`,
  },
  {
    title: 'Change a collection',
    hint: 'Only what the input contains changes.',
    operation: `mutation update_collection($id: ID!, $input: UpdateCollectionInput!) {
      updateCollection(id: $id, input: $input) { collection { ${COLLECTION} } }
    }`,
  },
  {
    title: 'Upload a recording from an address',
    hint: 'The service fetches the recording and processes it: `explain_track` shows how far it is.',
    isOpenWorld: true,
    operation: `mutation upload_track($sourceUrl: String!, $collectionId: ID, $creatorId: ID, $playerTitle: String,
      $playerSubtitle: String, $organizationIndex: String, $metadata: JSON) {
      createTrack(input: { sourceUrl: $sourceUrl, collectionId: $collectionId, creatorId: $creatorId,
        playerTitle: $playerTitle, playerSubtitle: $playerSubtitle, organizationIndex: $organizationIndex,
        metadata: $metadata }) { track { ${TRACK} } }
    }`,
  },
  {
    title: 'Change a track',
    hint: 'Only what the input contains changes.',
    operation: `mutation update_track($id: ID!, $input: UpdateTrackInput!) {
      updateTrack(id: $id, input: $input) { track { ${TRACK} description year isrc metadata } }
    }`,
  },
  {
    title: 'Move a track',
    operation: `mutation move_track($id: ID!, $input: MoveTrackInput!) {
      moveTrack(id: $id, input: $input) { track { ${TRACK} } }
    }`,
  },
  {
    title: 'Make the files of a track again',
    operation: `mutation rebuild_track($id: ID!, $input: RebuildTrackInput) {
      rebuildTrack(id: $id, input: $input) { track { ${PROCESSING} } }
    }`,
  },
  {
    title: 'Transcribe a track',
    hint: '`explain_track` shows how far the job is, and `get_transcript` reads the result.',
    operation: `mutation transcribe_track($id: ID!, $input: TranscribeTrackInput) {
      transcribeTrack(id: $id, input: $input) { job { id kind state transcriptionProgress { doneSeconds recordingSeconds } } }
    }`,
  },
  {
    title: 'Set a translation of a transcript',
    hint: 'Read the transcript as WebVTT, and keep its times, so that the translation follows the sound.',
    operation: `mutation set_translation($trackId: ID!, $input: SetTranslationInput!) {
      setTranslation(trackId: $trackId, input: $input) { translation { language form updatedAt } }
    }`,
  },
  {
    title: 'Delete a translation of a transcript',
    isDestructive: true,
    operation: `mutation delete_translation($trackId: ID!, $language: String!) {
      deleteTranslation(trackId: $trackId, language: $language) { deletedTranslation { language } }
    }`,
  },
  {
    title: 'Repeat a failed job',
    operation: 'mutation retry_job($id: ID!) { retryJob(id: $id) { job { id kind state trackId } } }',
  },
  {
    title: 'Create a share link',
    hint: 'Limit it to a track or a collection: `pageUrl` is the address for listeners. Everyone who has it can listen.',
    operation: `mutation create_share_link($input: CreateShareKeyInput!) {
      createShareKey(input: $input) { record { ${LINK} } }
    }`,
  },
  {
    title: 'Change a share link',
    hint: 'Title and limits. Null ends a limit. The address stays.',
    operation: `mutation update_share_link($id: ID!, $input: UpdateShareKeyInput!) {
      updateShareKey(id: $id, input: $input) { key { ${LINK} } }
    }`,
  },
  {
    title: 'End a share link',
    isDestructive: true,
    operation: 'mutation end_share_link($id: ID!) { revokeKey(id: $id) { key { id title isActive revokedAt } } }',
  },
  {
    title: 'Delete a track',
    isDestructive: true,
    operation: 'mutation delete_track($id: ID!) { deleteTrack(id: $id) { deletedTrack { id title } } }',
  },
  {
    title: 'Delete a collection with its tracks',
    isDestructive: true,
    operation: 'mutation delete_collection($id: ID!) { deleteCollection(id: $id) { deletedCollection { id title } } }',
  },
]
