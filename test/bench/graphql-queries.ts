/** One query in both schemas. */
export interface Contest {
  name: string
  ours: string
  theirs: string
  /** Number of records in an answer, the same for both. */
  records: number
}

interface Ids {
  organization: string
  track: string
  collection: string
}

/** Queries of a front end: a shelf, an inbox of tracks, one track, a search within a collection, a whole page. */
export function contests({ organization, track, collection }: Ids): Contest[] {
  const condition = `organizationId: "${organization}", deletedAt: null`
  const newest = 'orderBy: [CREATED_AT_DESC, ROW_ID_DESC]'
  return [
    {
      name: 'a shelf: 20 collections with creator',
      records: 39,
      ours: `{ collections(first: 20) { pageInfo { hasNextPage endCursor } edges { cursor node {
        id title metadata createdAt creator { id organizationIndex } } } } }`,
      theirs: `{ allCollections(first: 20, condition: { ${condition} }, ${newest}) { pageInfo { hasNextPage endCursor } edges {
        cursor node { rowId title metadata createdAt creatorByCreatorId { rowId organizationIndex } } } } }`,
    },
    {
      name: 'an inbox: 50 tracks with collection and files',
      records: 600,
      ours: `{ tracks(first: 50) { nodes { id fileName status duration createdAt collection { id title }
        files { id state size contentType variant { id index } } } } }`,
      theirs: `{ allTracks(first: 50, condition: { ${condition} }, ${newest}) { nodes { rowId fileName status durationSeconds createdAt
        collectionByCollectionId { rowId title } trackFilesByTrackId { nodes { rowId state size contentType
        variantByVariantId { rowId index } } } } } }`,
    },
    {
      name: 'one track with all that hangs on it',
      records: 13,
      ours: `{ track(id: "${track}") { id fileName status duration metadata createdAt updatedAt collection { id title }
        creator { id organizationIndex } files { id state path size variant { id index variantTypeId } } } }`,
      theirs: `{ trackByRowId(rowId: "${track}") { rowId fileName status durationSeconds metadata createdAt updatedAt
        collectionByCollectionId { rowId title } creatorByCreatorId { rowId organizationIndex }
        trackFilesByTrackId { nodes { rowId state path size variantByVariantId { rowId index type } } } } }`,
    },
    {
      name: 'a list: 30 tracks of a collection with its total',
      records: 30,
      ours: `{ tracks(first: 30, filter: { collectionId: "${collection}" }) { totalCount
        nodes { id order fileNameOriginal duration status createdAt } } }`,
      theirs: `{ allTracks(first: 30, condition: { ${condition}, collectionId: "${collection}" }, ${newest}) { totalCount
        nodes { rowId order fileNameOriginal durationSeconds status createdAt } } }`,
    },
    {
      name: 'a whole page: organization, 10 collections, 10 tracks each',
      records: 101,
      ours: `{ organization(id: "${organization}") { id name collections(first: 10) { nodes { id title
        tracks(first: 10) { totalCount nodes { id fileName status duration } } } } } }`,
      theirs: `{ organizationByRowId(rowId: "${organization}") { rowId name collectionsByOrganizationId(first: 10,
        condition: { deletedAt: null }, ${newest}) { nodes { rowId title tracksByCollectionId(first: 10,
        condition: { deletedAt: null }, ${newest}) { totalCount nodes { rowId fileName status durationSeconds } } } } } }`,
    },
  ]
}
