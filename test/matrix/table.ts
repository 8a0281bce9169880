import { type Operation, rights } from './operations.ts'

const nodes = '{ nodes { id } }'

/** Every field of Query and Mutation, each with who may use it. The test fails where one is missing. */
export const operations: Operation[] = [
  { kind: 'query', field: 'viewer', may: rights.anybody, text: () => 'viewer { __typename }' },
  { kind: 'query', field: 'version', may: rights.anybody, text: () => 'version' },
  { kind: 'query', field: 'creators', may: rights.ownList, text: () => `creators ${nodes}` },
  { kind: 'query', field: 'collections', may: rights.ownList, text: () => `collections ${nodes}` },
  { kind: 'query', field: 'tracks', may: rights.ownList, text: () => `tracks ${nodes}` },
  { kind: 'query', field: 'podcastCategories', may: rights.ownList, text: () => 'podcastCategories' },
  { kind: 'query', field: 'metadataKeys', may: rights.ownList, text: () => 'metadataKeys' },
  { kind: 'query', field: 'variants', may: rights.ownList, text: () => `variants ${nodes}` },
  { kind: 'query', field: 'jobs', may: rights.ownList, text: () => `jobs ${nodes}` },
  { kind: 'query', field: 'events', may: rights.ownList, text: () => `events ${nodes}` },
  { kind: 'query', field: 'usage', may: rights.ownList, text: () => 'usage { requests }' },
  { kind: 'query', field: 'audience', may: rights.ownList, text: () => 'audience(by: SITE) { listens }' },
  {
    kind: 'query',
    field: 'retention',
    way: 'inside',
    may: rights.readInside,
    text: ({ track }) => `retention(trackId: "${track}") { listenings }`,
  },
  {
    kind: 'query',
    field: 'retention',
    way: 'outside',
    may: rights.readOutside,
    text: ({ otherTrack }) => `retention(trackId: "${otherTrack}") { listenings }`,
  },
  { kind: 'query', field: 'storageUsage', may: rights.ownList, text: () => 'storageUsage { fileBytes }' },
  { kind: 'query', field: 'processingUsage', may: rights.ownList, text: () => 'processingUsage { seconds }' },
  {
    kind: 'query',
    field: 'organization',
    may: rights.wholeRead,
    text: ({ organization }) => `organization(id: "${organization}") { id }`,
  },
  {
    kind: 'query',
    field: 'creator',
    way: 'inside',
    may: 'uonofffooonn',
    text: ({ creator }) => `creator(id: "${creator}") { id }`,
  },
  {
    kind: 'query',
    field: 'creator',
    way: 'outside',
    may: rights.readOutside,
    text: ({ otherCreator }) => `creator(id: "${otherCreator}") { id }`,
  },
  {
    kind: 'query',
    field: 'collection',
    way: 'inside',
    may: rights.readInside,
    text: ({ collection }) => `collection(id: "${collection}") { id }`,
  },
  {
    kind: 'query',
    field: 'collection',
    way: 'outside',
    may: rights.readOutside,
    text: ({ otherCollection }) => `collection(id: "${otherCollection}") { id }`,
  },
  {
    kind: 'query',
    field: 'track',
    way: 'inside',
    may: rights.readInside,
    text: ({ track }) => `track(id: "${track}") { id files { url } }`,
  },
  {
    kind: 'query',
    field: 'track',
    way: 'outside',
    may: rights.readOutside,
    text: ({ otherTrack }) => `track(id: "${otherTrack}") { id }`,
  },
  {
    kind: 'query',
    field: 'variant',
    may: rights.readInside,
    text: ({ organizationVariant }) => `variant(id: "${organizationVariant}") { id }`,
  },
  {
    kind: 'query',
    field: 'node',
    way: 'inside',
    may: rights.readInside,
    text: ({ track }) => `node(id: "${track}") { id ... on Track { files { url } } }`,
  },
  {
    kind: 'query',
    field: 'node',
    way: 'outside, with its type',
    may: rights.readOutside,
    text: ({ otherTrack }) => `node(id: "Track:${otherTrack}") { id }`,
  },
  {
    kind: 'query',
    field: 'node',
    way: 'of the dashboard',
    may: 'unnnfffooonn',
    text: async ({ newEndpoint }) => `node(id: "${await newEndpoint()}") { id }`,
  },
  {
    kind: 'query',
    field: 'nodes',
    may: rights.readInside,
    text: ({ track }) => `nodes(ids: ["${track}"]) { id }`,
  },
  // The id is the credential.
  {
    kind: 'query',
    field: 'node',
    way: 'of a session',
    may: rights.anybody,
    text: async ({ newSession }) => `node(id: "${await newSession()}") { id }`,
  },
  {
    kind: 'query',
    field: 'uploadSession',
    may: rights.anybody,
    text: async ({ newSession }) => `uploadSession(id: "${await newSession()}") { id }`,
  },
  {
    kind: 'mutation',
    field: 'createUploadTrack',
    may: rights.anybody,
    text: async ({ newSession }) =>
      `createUploadTrack(uploadSessionId: "${await newSession()}", input: { fileName: "a.wav" }) { uploadSession { id } }`,
  },
  {
    kind: 'query',
    field: 'playSession',
    may: rights.anybody,
    text: async ({ newPlaySession, track }) =>
      `playSession(id: "${await newPlaySession()}") { tracks { nodes { id } } firstTrack { trackId }
         playback(trackId: "${track}") { variants { url } levels { avg } coverImage { icon { url } } } }`,
  },
  {
    kind: 'mutation',
    field: 'createPlaySession',
    way: 'inside',
    may: rights.playInside,
    text: ({ collection }) => `createPlaySession(input: { collectionId: "${collection}" }) { playSession { id } }`,
  },
  {
    kind: 'mutation',
    field: 'createPlaySession',
    way: 'outside',
    may: rights.playOutside,
    text: ({ otherCollection }) =>
      `createPlaySession(input: { collectionId: "${otherCollection}" }) { playSession { id } }`,
  },

  { kind: 'query', field: 'keys', may: 'uofffffooooo', text: () => `keys ${nodes}` },
  {
    kind: 'query',
    field: 'key',
    way: 'of a player',
    may: 'uofffffooonn',
    text: async ({ newKey }) => `key(id: "${await newKey('player')}") { id }`,
  },
  {
    kind: 'query',
    field: 'key',
    way: 'an api key',
    may: 'uffffffooonn',
    text: async ({ newKey }) => `key(id: "${await newKey('api')}") { id }`,
  },
  {
    kind: 'mutation',
    field: 'revokeKey',
    way: 'of a player',
    may: rights.wholeWriteOne,
    text: async ({ newKey }) => `revokeKey(id: "${await newKey('player')}") { key { id } }`,
  },
  {
    kind: 'mutation',
    field: 'revokeKey',
    way: 'an api key',
    may: 'uffffffoofnn',
    text: async ({ newKey }) => `revokeKey(id: "${await newKey('api')}") { key { id } }`,
  },
  {
    kind: 'mutation',
    field: 'createApiKey',
    may: rights.dashboard,
    text: () => 'createApiKey(input: { title: "t" }) { keyId }',
  },
  {
    kind: 'mutation',
    field: 'createUploaderKey',
    may: rights.wholeWrite,
    text: () => 'createUploaderKey(input: { title: "t" }) { keyId }',
  },
  {
    kind: 'mutation',
    field: 'createPlayerKey',
    may: rights.wholeWrite,
    text: () => 'createPlayerKey(input: { title: "t" }) { keyId }',
  },
  {
    kind: 'mutation',
    field: 'createShareKey',
    may: rights.wholeWriteOne,
    text: ({ organizationVariant }) =>
      `createShareKey(input: { title: "t", variant: "${organizationVariant}" }) { keyId }`,
  },

  {
    kind: 'mutation',
    field: 'updateShareKey',
    may: rights.wholeWriteOne,
    text: async ({ newKey }) => `updateShareKey(id: "${await newKey('share')}", input: { title: "t" }) { key { id } }`,
  },
  {
    kind: 'mutation',
    field: 'createCreator',
    may: rights.wholeWrite,
    text: ({ newName }) => `createCreator(input: { organizationIndex: "${newName()}" }) { creator { id } }`,
  },
  {
    kind: 'mutation',
    field: 'updateCreator',
    way: 'inside',
    may: 'uonofffoofnn',
    text: ({ creator }) => `updateCreator(id: "${creator}", input: { metadata: {} }) { creator { id } }`,
  },
  {
    kind: 'mutation',
    field: 'updateCreator',
    way: 'outside',
    may: rights.writeOutside,
    text: ({ otherCreator }) => `updateCreator(id: "${otherCreator}", input: { metadata: {} }) { creator { id } }`,
  },
  {
    kind: 'mutation',
    field: 'deleteCreator',
    may: rights.wholeWriteOne,
    text: async ({ newCreator }) => `deleteCreator(id: "${await newCreator()}") { deletedCreator { id } }`,
  },
  {
    kind: 'mutation',
    field: 'createCollection',
    may: 'uofofffoofoo',
    text: () => 'createCollection(input: { title: "t" }) { collection { id } }',
  },
  {
    kind: 'mutation',
    field: 'updateCollection',
    way: 'inside',
    may: rights.writeInside,
    text: ({ collection }) => `updateCollection(id: "${collection}", input: { title: "t" }) { collection { id } }`,
  },
  {
    kind: 'mutation',
    field: 'updateCollection',
    way: 'outside',
    may: rights.writeOutside,
    text: ({ otherCollection }) =>
      `updateCollection(id: "${otherCollection}", input: { title: "t" }) { collection { id } }`,
  },
  {
    kind: 'mutation',
    field: 'createCollectionCoverUpload',
    way: 'inside',
    may: rights.writeInside,
    text: ({ collection }) => `createCollectionCoverUpload(collectionId: "${collection}") { collection { id } }`,
  },
  {
    kind: 'mutation',
    field: 'createCollectionCoverUpload',
    way: 'outside',
    may: rights.writeOutside,
    text: ({ otherCollection }) =>
      `createCollectionCoverUpload(collectionId: "${otherCollection}") { collection { id } }`,
  },
  {
    kind: 'mutation',
    field: 'deleteCollection',
    way: 'outside',
    may: rights.writeOutside,
    text: async ({ newCollection }) => `deleteCollection(id: "${await newCollection()}") { deletedCollection { id } }`,
  },
  {
    kind: 'mutation',
    field: 'createTrack',
    way: 'inside',
    may: rights.writeInside,
    text: ({ collection }) =>
      `createTrack(input: { fileName: "a.wav", collectionId: "${collection}" }) { track { id } }`,
  },
  {
    kind: 'mutation',
    field: 'createTrack',
    way: 'outside the collection',
    may: rights.writeOutside,
    text: ({ otherCollection }) =>
      `createTrack(input: { fileName: "a.wav", collectionId: "${otherCollection}" }) { track { id } }`,
  },
  {
    kind: 'mutation',
    field: 'createTrack',
    way: 'of another creator',
    may: 'uonnfffoofnn',
    text: ({ collection, otherCreator }) =>
      `createTrack(input: { fileName: "a.wav", collectionId: "${collection}", creatorId: "${otherCreator}" }) { track { id } }`,
  },
  {
    kind: 'mutation',
    field: 'createUploadSession',
    way: 'inside',
    may: 'uooooffoofnn',
    text: ({ collection }) => `createUploadSession(input: { collectionId: "${collection}" }) { uploadSession { id } }`,
  },
  {
    kind: 'mutation',
    field: 'createUploadSession',
    way: 'outside the collection',
    may: 'uonnoffoofnn',
    text: ({ otherCollection }) =>
      `createUploadSession(input: { collectionId: "${otherCollection}" }) { uploadSession { id } }`,
  },
  {
    kind: 'mutation',
    field: 'updateTrack',
    way: 'inside',
    may: rights.writeInside,
    text: ({ track }) => `updateTrack(id: "${track}", input: { playerTitle: "t" }) { track { id } }`,
  },
  {
    kind: 'mutation',
    field: 'updateTrack',
    way: 'outside',
    may: rights.writeOutside,
    text: ({ otherTrack }) => `updateTrack(id: "${otherTrack}", input: { playerTitle: "t" }) { track { id } }`,
  },
  {
    kind: 'mutation',
    field: 'moveTrack',
    way: 'inside',
    may: rights.writeInside,
    text: ({ track }) => `moveTrack(id: "${track}", input: {}) { track { id } }`,
  },
  {
    kind: 'mutation',
    field: 'moveTrack',
    way: 'outside',
    may: rights.writeOutside,
    text: ({ otherTrack }) => `moveTrack(id: "${otherTrack}", input: {}) { track { id } }`,
  },
  {
    kind: 'mutation',
    field: 'createTrackCoverUpload',
    way: 'inside',
    may: rights.writeInside,
    text: ({ track }) => `createTrackCoverUpload(trackId: "${track}") { track { id } }`,
  },
  {
    kind: 'mutation',
    field: 'createTrackCoverUpload',
    way: 'outside',
    may: rights.writeOutside,
    text: ({ otherTrack }) => `createTrackCoverUpload(trackId: "${otherTrack}") { track { id } }`,
  },
  {
    kind: 'mutation',
    field: 'deleteTrack',
    way: 'inside',
    may: rights.writeInside,
    text: async ({ newTrack }) => `deleteTrack(id: "${await newTrack()}") { deletedTrack { id } }`,
  },
  {
    kind: 'mutation',
    field: 'deleteTrack',
    way: 'outside',
    may: rights.writeOutside,
    text: async ({ newTrack }) => `deleteTrack(id: "${await newTrack('outside')}") { deletedTrack { id } }`,
  },
  { kind: 'query', field: 'deletedTracks', may: rights.dashboardRead, text: () => `deletedTracks ${nodes}` },
  { kind: 'query', field: 'deletedCollections', may: rights.dashboardRead, text: () => `deletedCollections ${nodes}` },
  {
    kind: 'mutation',
    field: 'restoreTrack',
    may: rights.dashboardOne,
    text: async ({ newTrack, service }) => {
      const id = await newTrack()
      await service.v1('DELETE', `/track/${id}`)
      return `restoreTrack(id: "${id}") { track { id } }`
    },
  },
  {
    kind: 'mutation',
    field: 'restoreCollection',
    may: rights.dashboardOne,
    text: async ({ newCollection, service }) => {
      const id = await newCollection()
      await service.v1('DELETE', `/collection/${id}`)
      return `restoreCollection(id: "${id}") { collection { id } }`
    },
  },
  {
    kind: 'mutation',
    field: 'addTrackVariant',
    way: 'inside',
    may: rights.writeInside,
    text: async ({ newTrack, newName }) =>
      `addTrackVariant(trackId: "${await newTrack()}", input: { variantTypeId: "transcode", index: "${newName()}" }) { jobId }`,
  },
  {
    kind: 'mutation',
    field: 'addTrackVariant',
    way: 'outside',
    may: rights.writeOutside,
    text: async ({ newTrack, newName }) =>
      `addTrackVariant(trackId: "${await newTrack('outside')}", input: { variantTypeId: "transcode", index: "${newName()}" }) { jobId }`,
  },
  {
    kind: 'mutation',
    field: 'updateOrganization',
    may: 'uofffffoofnn',
    text: ({ organization }) =>
      `updateOrganization(id: "${organization}", input: { name: "Demo" }) { organization { id } }`,
  },
  {
    kind: 'mutation',
    field: 'createOrganizationCoverUpload',
    may: 'uofffffoofnn',
    text: ({ organization }) =>
      `createOrganizationCoverUpload(organizationId: "${organization}") { organization { id } }`,
  },

  { kind: 'query', field: 'administrators', may: rights.dashboardRead, text: () => `administrators ${nodes}` },
  {
    kind: 'mutation',
    field: 'createAdministrator',
    may: rights.owners,
    text: ({ newName }) =>
      `createAdministrator(input: { email: "${newName()}@example.com", role: VIEWER }) { administrator { id } }`,
  },
  { kind: 'query', field: 'activities', may: rights.dashboardRead, text: () => `activities ${nodes}` },
  { kind: 'query', field: 'invitations', may: rights.owners, text: () => 'invitations { id }' },
  {
    kind: 'mutation',
    field: 'createInvitation',
    may: rights.owners,
    text: ({ newName }) =>
      `createInvitation(input: { email: "${newName()}@example.com", role: VIEWER }) { invitation { id } }`,
  },
  {
    kind: 'mutation',
    field: 'revokeInvitation',
    may: rights.ownersOne,
    text: async ({ newInvitation }) => `revokeInvitation(id: "${await newInvitation()}") { revokedInvitation { id } }`,
  },
  // The token of the link is the permission.
  {
    kind: 'query',
    field: 'openInvitation',
    may: rights.anybody,
    beyond: ['expired'],
    text: () => 'openInvitation(token: "wrong") { email }',
  },
  {
    kind: 'mutation',
    field: 'acceptInvitation',
    may: rights.anybody,
    beyond: ['expired'],
    text: () => 'acceptInvitation(token: "wrong", password: "a long enough one") { token }',
  },
  {
    kind: 'mutation',
    field: 'signInByLink',
    may: rights.anybody,
    beyond: ['expired'],
    text: () => 'signInByLink(token: "wrong") { token }',
  },
  {
    kind: 'mutation',
    field: 'updateAdministrator',
    may: rights.ownersOne,
    text: async ({ newPerson }) =>
      `updateAdministrator(id: "${await newPerson()}", input: { role: ADMIN }) { administrator { id } }`,
  },
  {
    kind: 'mutation',
    field: 'deleteAdministrator',
    may: rights.ownersOne,
    text: async ({ newPerson }) => `deleteAdministrator(id: "${await newPerson()}") { deletedAdministrator { id } }`,
  },
  {
    kind: 'mutation',
    field: 'resetAdministratorPassword',
    may: rights.ownersOne,
    text: async ({ newPerson }) => `resetAdministratorPassword(id: "${await newPerson()}") { administrator { id } }`,
  },
  { kind: 'query', field: 'account', may: rights.dashboardRead, text: () => 'account { administrator { id } }' },
  {
    kind: 'mutation',
    field: 'updateAccount',
    may: rights.dashboardRead,
    text: () => 'updateAccount(input: { name: "Ada" }) { administrator { id } }',
  },
  {
    kind: 'mutation',
    field: 'endSignInSession',
    may: rights.dashboardRead,
    beyond: ['not_found'],
    text: () => `endSignInSession(id: "${crypto.randomUUID()}") { endedSessions }`,
  },
  {
    kind: 'mutation',
    field: 'removeSecondFactor',
    may: rights.ownersOne,
    text: async ({ newPerson }) => `removeSecondFactor(id: "${await newPerson()}") { administrator { id } }`,
  },
  {
    kind: 'mutation',
    field: 'preparePasskey',
    may: rights.dashboardRead,
    beyond: ['invalid_input', 'rate_limited'],
    text: () => 'preparePasskey(password: "wrong") { setup }',
  },
  {
    kind: 'mutation',
    field: 'addPasskey',
    may: rights.dashboardRead,
    beyond: ['invalid_input'],
    text: () =>
      `addPasskey(input: { setup: "x", title: "x", credentialId: "x", clientData: "x", authenticatorData: "x", publicKey: "x" }) { passkey { id } }`,
  },
  {
    kind: 'mutation',
    field: 'removePasskey',
    may: rights.dashboardRead,
    beyond: ['not_found'],
    text: () => `removePasskey(id: "${crypto.randomUUID()}") { removedPasskey { id } }`,
  },
  {
    kind: 'mutation',
    field: 'prepareSecondFactor',
    may: rights.dashboardRead,
    text: () => 'prepareSecondFactor { secret }',
  },
  // A wrong password is `invalid_input`: only a person gets as far.
  {
    kind: 'mutation',
    field: 'changePassword',
    may: rights.dashboardRead,
    beyond: ['invalid_input', 'rate_limited'],
    text: () => 'changePassword(currentPassword: "wrong", newPassword: "a long enough one") { administrator { id } }',
  },
  {
    kind: 'mutation',
    field: 'enableSecondFactor',
    may: rights.dashboardRead,
    beyond: ['invalid_input', 'rate_limited'],
    text: () => 'enableSecondFactor(setup: "x", password: "wrong", code: "1") { administrator { id } }',
  },
  {
    kind: 'mutation',
    field: 'disableSecondFactor',
    may: rights.dashboardRead,
    beyond: ['invalid_input', 'rate_limited'],
    text: () => 'disableSecondFactor(password: "wrong", code: "1") { administrator { id } }',
  },
  {
    kind: 'mutation',
    field: 'createRecoveryCodes',
    may: rights.dashboardRead,
    beyond: ['invalid_input', 'rate_limited'],
    text: () => 'createRecoveryCodes(password: "wrong", code: "1") { recoveryCodes }',
  },

  {
    kind: 'query',
    field: 'job',
    way: 'inside',
    may: rights.readInside,
    text: async ({ newJob }) => `job(id: "${await newJob()}") { id }`,
  },
  {
    kind: 'query',
    field: 'job',
    way: 'outside',
    may: rights.readOutside,
    text: async ({ newJob }) => `job(id: "${await newJob('outside')}") { id }`,
  },
  {
    kind: 'mutation',
    field: 'retryJob',
    way: 'inside',
    may: rights.writeInside,
    text: async ({ newJob }) => `retryJob(id: "${await newJob()}") { job { id } }`,
  },
  {
    kind: 'mutation',
    field: 'retryJob',
    way: 'outside',
    may: rights.writeOutside,
    text: async ({ newJob }) => `retryJob(id: "${await newJob('outside')}") { job { id } }`,
  },
  {
    kind: 'mutation',
    field: 'replaceRecording',
    way: 'inside',
    may: rights.writeInside,
    text: async ({ newTrack }) => {
      const id = await newTrack('inside')
      return `replaceRecording(trackId: "${id}", input: { fileName: "a.wav" }) { track { id } }`
    },
  },
  {
    kind: 'mutation',
    field: 'setTranslation',
    way: 'inside',
    may: rights.writeInside,
    text: async ({ newTranslated }) => {
      const [id, language] = await newTranslated('inside')
      return `setTranslation(trackId: "${id}", input: { language: "${language}", text: "b" }) { track { id } }`
    },
  },
  {
    kind: 'mutation',
    field: 'deleteTranslation',
    way: 'inside',
    may: rights.writeInside,
    text: async ({ newTranslated }) => {
      const [id, language] = await newTranslated('inside')
      return `deleteTranslation(trackId: "${id}", language: "${language}") { track { id } }`
    },
  },
  {
    kind: 'mutation',
    field: 'setTranslation',
    way: 'outside',
    may: rights.writeOutside,
    text: async ({ newTranslated }) => {
      const [id, language] = await newTranslated('outside')
      return `setTranslation(trackId: "${id}", input: { language: "${language}", text: "b" }) { track { id } }`
    },
  },
  {
    kind: 'mutation',
    field: 'deleteTranslation',
    way: 'outside',
    may: rights.writeOutside,
    text: async ({ newTranslated }) => {
      const [id, language] = await newTranslated('outside')
      return `deleteTranslation(trackId: "${id}", language: "${language}") { track { id } }`
    },
  },
  {
    kind: 'mutation',
    field: 'cancelReplacement',
    way: 'inside',
    may: rights.writeInside,
    text: async ({ newReplaced }) => {
      const [id] = await newReplaced('inside', 'new')
      return `cancelReplacement(trackId: "${id}") { track { id } }`
    },
  },
  {
    kind: 'mutation',
    field: 'restoreRecording',
    way: 'inside',
    may: rights.writeInside,
    text: async ({ newReplaced }) => {
      const [id, recording] = await newReplaced('inside', 'former')
      return `restoreRecording(trackId: "${id}", recordingId: "${recording}") { track { id } }`
    },
  },
  {
    kind: 'mutation',
    field: 'replaceRecording',
    way: 'outside',
    may: rights.writeOutside,
    text: async ({ newTrack }) => {
      const id = await newTrack('outside')
      return `replaceRecording(trackId: "${id}", input: { fileName: "a.wav" }) { track { id } }`
    },
  },
  {
    kind: 'mutation',
    field: 'cancelReplacement',
    way: 'outside',
    may: rights.writeOutside,
    text: async ({ newReplaced }) => {
      const [id] = await newReplaced('outside', 'new')
      return `cancelReplacement(trackId: "${id}") { track { id } }`
    },
  },
  {
    kind: 'mutation',
    field: 'restoreRecording',
    way: 'outside',
    may: rights.writeOutside,
    text: async ({ newReplaced }) => {
      const [id, recording] = await newReplaced('outside', 'former')
      return `restoreRecording(trackId: "${id}", recordingId: "${recording}") { track { id } }`
    },
  },
  {
    kind: 'mutation',
    field: 'rebuildTrack',
    way: 'inside',
    may: rights.writeInside,
    text: async ({ newTrack }) => `rebuildTrack(id: "${await newTrack()}") { jobId }`,
  },
  {
    kind: 'mutation',
    field: 'rebuildTrack',
    way: 'outside',
    may: rights.writeOutside,
    text: async ({ newTrack }) => `rebuildTrack(id: "${await newTrack('outside')}") { jobId }`,
  },
  {
    kind: 'mutation',
    field: 'cancelTranscription',
    way: 'inside',
    may: rights.writeInside,
    text: async ({ newTrack }) => `cancelTranscription(id: "${await newTrack()}") { track { id } }`,
  },
  {
    kind: 'mutation',
    field: 'cancelTranscription',
    way: 'outside',
    may: rights.writeOutside,
    text: async ({ newTrack }) => `cancelTranscription(id: "${await newTrack('outside')}") { track { id } }`,
  },
  {
    kind: 'mutation',
    field: 'transcribeTrack',
    way: 'inside',
    beyond: ['speech_recognition_off'],
    may: rights.writeInside,
    text: async ({ newTrack }) => `transcribeTrack(id: "${await newTrack()}") { job { id } }`,
  },
  {
    kind: 'mutation',
    field: 'transcribeTrack',
    way: 'outside',
    beyond: ['speech_recognition_off'],
    may: rights.writeOutside,
    text: async ({ newTrack }) => `transcribeTrack(id: "${await newTrack('outside')}") { job { id } }`,
  },
  { kind: 'query', field: 'batches', may: 'uofffffooooo', text: () => `batches ${nodes}` },
  {
    kind: 'query',
    field: 'batch',
    may: 'uofffffooonn',
    text: async ({ newBatch }) => `batch(id: "${await newBatch()}") { id }`,
  },
  {
    kind: 'mutation',
    field: 'createVariant',
    may: rights.dashboard,
    text: ({ newName }) =>
      `createVariant(input: { variantTypeId: TRANSCODE, index: "${newName()}" }) { variant { id } }`,
  },
  {
    kind: 'mutation',
    field: 'updateVariant',
    may: rights.dashboardOne,
    text: async ({ newVariant }) =>
      `updateVariant(id: "${await newVariant()}", input: { bitrate: 64 }) { variant { id } }`,
  },
  {
    kind: 'mutation',
    field: 'deleteVariant',
    may: rights.dashboardOne,
    text: async ({ newVariant }) => `deleteVariant(id: "${await newVariant()}") { deletedVariant { id } }`,
  },
  {
    kind: 'mutation',
    field: 'applyVariant',
    may: rights.dashboardOne,
    text: async ({ newVariant }) => `applyVariant(id: "${await newVariant()}") { batch { id } }`,
  },
  {
    kind: 'mutation',
    field: 'cancelBatch',
    may: rights.dashboardOne,
    text: async ({ newBatch }) => `cancelBatch(id: "${await newBatch()}") { batch { id } }`,
  },

  {
    kind: 'query',
    field: 'event',
    may: rights.wholeRead,
    text: async ({ newEvent }) => `event(id: "${await newEvent()}") { id }`,
  },
  { kind: 'query', field: 'webhook', may: rights.dashboardRead, text: () => 'webhook { id }' },
  { kind: 'query', field: 'webhookEndpoints', may: rights.dashboardRead, text: () => `webhookEndpoints ${nodes}` },
  {
    kind: 'query',
    field: 'webhookEndpoint',
    may: rights.dashboardReadOne,
    text: async ({ newEndpoint }) => `webhookEndpoint(id: "${await newEndpoint()}") { id }`,
  },
  { kind: 'query', field: 'webhookDeliveries', may: rights.dashboardRead, text: () => `webhookDeliveries ${nodes}` },
  {
    kind: 'query',
    field: 'webhookDelivery',
    may: rights.dashboardReadOne,
    text: async ({ newDelivery }) => `webhookDelivery(id: "${await newDelivery()}") { id }`,
  },
  {
    kind: 'mutation',
    field: 'updateWebhook',
    may: rights.dashboard,
    text: () => 'updateWebhook(input: { url: "https://example.com/a" }) { secret }',
  },
  {
    kind: 'mutation',
    field: 'createWebhookEndpoint',
    may: rights.dashboard,
    beyond: ['limit_reached'],
    text: ({ newName }) => `createWebhookEndpoint(input: { url: "https://example.com/${newName()}" }) { secret }`,
  },
  {
    kind: 'mutation',
    field: 'updateWebhookEndpoint',
    may: rights.dashboardOne,
    text: async ({ newEndpoint }) =>
      `updateWebhookEndpoint(id: "${await newEndpoint()}", input: { isEnabled: false }) { webhookEndpoint { id } }`,
  },
  {
    kind: 'mutation',
    field: 'deleteWebhookEndpoint',
    may: rights.dashboardOne,
    text: async ({ newEndpoint }) => `deleteWebhookEndpoint(id: "${await newEndpoint()}") { __typename }`,
  },
  {
    kind: 'mutation',
    field: 'rotateWebhookSecret',
    may: rights.dashboardOne,
    text: async ({ newEndpoint }) => `rotateWebhookSecret(id: "${await newEndpoint()}") { secret }`,
  },
  {
    kind: 'mutation',
    field: 'sendTestWebhook',
    may: rights.dashboardOne,
    text: async ({ newEndpoint }) => `sendTestWebhook(endpointId: "${await newEndpoint()}") { webhookDelivery { id } }`,
  },
  {
    kind: 'mutation',
    field: 'redeliverWebhook',
    may: rights.dashboardOne,
    text: async ({ newDelivery }) =>
      `redeliverWebhook(deliveryId: "${await newDelivery()}") { webhookDelivery { id } }`,
  },
  {
    kind: 'mutation',
    field: 'redeliverFailedWebhooks',
    may: rights.dashboardOne,
    text: async ({ newEndpoint }) =>
      `redeliverFailedWebhooks(endpointId: "${await newEndpoint()}", since: "2026-01-01T00:00:00Z") { count }`,
  },
  {
    kind: 'mutation',
    field: 'updateOrganizationDomain',
    may: rights.dashboardOne,
    text: ({ organization }) =>
      `updateOrganizationDomain(id: "${organization}", domain: "localhost:3001") { organization { id } }`,
  },
  {
    kind: 'mutation',
    field: 'addSigningSecret',
    may: rights.dashboardOne,
    text: async ({ organization, clearSecrets }) =>
      `addSigningSecret(organizationId: "${await clearSecrets(organization)}") { secret }`,
  },
  {
    kind: 'mutation',
    field: 'activateSigningSecret',
    may: rights.dashboardOne,
    text: async ({ organization, newSecret }) =>
      `activateSigningSecret(organizationId: "${organization}", id: "${await newSecret()}") { __typename }`,
  },
  {
    kind: 'mutation',
    field: 'removeSigningSecret',
    may: rights.dashboardOne,
    text: async ({ organization, newSecret }) =>
      `removeSigningSecret(organizationId: "${organization}", id: "${await newSecret()}", isForced: true) { __typename }`,
  },
]
