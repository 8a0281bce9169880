/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** A codec of transcodes and previews. */
export type AudioCodec =
  /** AAC in an MP4 container (`.m4a`). */
  | 'AAC'
  /** Apple Lossless in an MP4 container (`.m4a`). For organization-wide transcodes only. */
  | 'ALAC'
  /** FLAC. Lossless. For organization-wide transcodes only. */
  | 'FLAC'
  /** MPEG-1/2 layer III. */
  | 'MP3'
  /** Vorbis in an Ogg container. */
  | 'OGG'
  /** Opus in an Ogg container. */
  | 'OPUS'
  /** PCM in a WAV container, RF64 from 4 GiB on. For organization-wide transcodes only. */
  | 'WAV';

/** A chapter of a track. */
export type ChapterInput = {
  /** End in seconds, not after the start of the next chapter. Defaults to that start. */
  endSeconds?: number | null | undefined;
  /** Address of its picture. At most 2048 characters. */
  imageUrl?: string | null | undefined;
  /** Start in seconds, after that of the chapter before it. */
  startSeconds: number;
  /** Title, shown to listeners. 1 to 255 characters. */
  title: string;
  /** Address of a page about it. At most 2048 characters. */
  url?: string | null | undefined;
};

/** Conditions on collections. All given conditions must hold. */
export type CollectionFilter = {
  /** Created at or after this time. */
  createdFrom?: string | null | undefined;
  /** Created before this time. */
  createdUntil?: string | null | undefined;
  /** ID of the creator that they belong to. */
  creatorId?: string | number | null | undefined;
  /** Exact match of the identifier. */
  organizationIndex?: string | null | undefined;
  /** Case-insensitive substring of title or organizationIndex. 1 to 200 characters. */
  search?: string | null | undefined;
};

/** A new collection. */
export type CreateCollectionInput = {
  /** ID of the creator that it belongs to. A key that is scoped to a creator implies it. */
  creatorId?: string | number | null | undefined;
  /** Whether tracks may have a cover of their own. */
  isCoverOverridable?: boolean | null | undefined;
  /** Whether tracks may have a theme of their own. */
  isThemeOverridable?: boolean | null | undefined;
  /** Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep. */
  metadata?: Record<string, unknown> | null | undefined;
  /** The client's own identifier. Not unique. 0 to 255 characters. Null when not set. */
  organizationIndex?: string | null | undefined;
  /** Color of players. Hexadecimal, such as `#5b5bd6`. Null inherits the organization's. */
  playerColor?: string | null | undefined;
  /** Subtitle of players, shown below the title. 0 to 1,024 characters. Null when not set. */
  playerSubtitle?: string | null | undefined;
  /** Colors of the cover, largest area first. At most 64. The colors of an uploaded cover replace a theme that was set; processing and rebuilding a recording do not. */
  theme?: Array<ThemeColorInput> | null | undefined;
  /** Title, shown to listeners. 1 to 1,024 characters. */
  title: string;
};

/** A new key for stream links of one variant. */
export type CreateShareKeyInput = {
  /** Limits the key to one collection. Null without this limit. */
  collectionId?: string | number | null | undefined;
  /** Limits the key to one creator. Null without this limit. */
  creatorId?: string | number | null | undefined;
  /** Time from which the key is refused. Null when the key does not expire. */
  expiresAt?: string | null | undefined;
  /** Shown to administrators. 1 to 200 characters. */
  title: string;
  /** Limits the key to one track of its collection. Null without this limit. */
  trackId?: string | number | null | undefined;
  /** Index or ID of the variant. */
  variant: string;
};

/** A new track outside an upload session. */
export type CreateTrackInput = {
  /** ID of the collection that it belongs to. A key that is scoped to a collection implies it. */
  collectionId?: string | number | null | undefined;
  /** ID of the creator that it belongs to. Defaults to the collection's. */
  creatorId?: string | number | null | undefined;
  /** Original filename. With `source_url`, defaults to the name that the address or its server gives. */
  fileName?: string | null | undefined;
  /** Bytes of the recording. An upload of another size is refused, or ends the track if it was sent to a bucket. */
  fileSize?: number | null | undefined;
  /** Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep. */
  metadata?: Record<string, unknown> | null | undefined;
  /** The client's own identifier. Not unique. 0 to 255 characters. Null when not set. */
  organizationIndex?: string | null | undefined;
  /** Color of players. Hexadecimal, such as `#5b5bd6`. Null inherits the collection's. */
  playerColor?: string | null | undefined;
  /** Subtitle of players, shown below the title. 0 to 1,024 characters. Null when not set. */
  playerSubtitle?: string | null | undefined;
  /** Title, shown to listeners. 0 to 1,024 characters. Null when not set. */
  playerTitle?: string | null | undefined;
  /** Address that the service downloads the recording from, instead of an upload. */
  sourceUrl?: string | null | undefined;
};

/** What a key may do. */
export type KeyKind =
  /** Everything in the organization, or in the collection or creator that the key is limited to. */
  | 'API'
  /** Creates play sessions only. */
  | 'PLAYER'
  /** Opens stream links of one variant only. */
  | 'SHARE'
  /** Creates upload sessions only. */
  | 'UPLOADER';

/** Unit of the length of a preview. */
export type PreviewLength =
  /** Percent of the recording, within limits in seconds. */
  | 'PERCENT'
  /** Seconds, within limits in percent of the recording. */
  | 'SECONDS';

/** A color of a cover. */
export type ThemeColorInput = {
  /** Share of the image that has this color. 0 to 1. */
  area: number;
  /** The color. Hexadecimal, such as `#5b5bd6`. */
  hex: string;
  /** Lightness, from black to white. 0 to 1. */
  lightness: number;
  /** Saturation, from grey to full color. 0 to 1. */
  saturation: number;
};

/** State of a file. */
export type TrackFileState =
  /** Finished. Can be delivered. */
  | 'DONE'
  /** Failed. `statusText` has the reason. */
  | 'FAILED'
  /** Is being generated. */
  | 'PROCESSING'
  /** Waits for processing. */
  | 'QUEUED';

/** State of the upload and the processing of a track. */
export type TrackStatus =
  /** None of its files can be played. */
  | 'ERROR'
  /** The one-pass run failed. Its files are being generated one by one. */
  | 'FALLBACK_PROCESSING'
  /** Some of its files failed. At least one can be played. */
  | 'INCOMPLETE'
  /** Created. Waits for the upload of its recording. */
  | 'INITIALIZED'
  /** The upload was not decodable audio, or did not arrive in time. */
  | 'INIT_ERROR'
  /** Its files are being generated. */
  | 'PROCESSING'
  /** All of its files are finished. */
  | 'READY';

/** Fields to change. Fields that are left out keep their value. Null clears a nullable field. */
export type UpdateTrackInput = {
  /** Chapters in their order. At most 255. Within the duration of the track. An empty list hides those of the recording, null shows them again. A rebuild writes them into the files. */
  chapters?: Array<ChapterInput> | null | undefined;
  /** Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep. */
  metadata?: Record<string, unknown> | null | undefined;
  /** The client's own identifier. Not unique. 0 to 255 characters. Null when not set. */
  organizationIndex?: string | null | undefined;
  /** Color of players. Hexadecimal, such as `#5b5bd6`. Null inherits the collection's. */
  playerColor?: string | null | undefined;
  /** Subtitle of players, shown below the title. 0 to 1,024 characters. Null when not set. */
  playerSubtitle?: string | null | undefined;
  /** Title, shown to listeners. 0 to 1,024 characters. Null when not set. */
  playerTitle?: string | null | undefined;
  /** Colors of the cover, largest area first. At most 64. The colors of an uploaded cover replace a theme that was set; processing and rebuilding a recording do not. */
  theme?: Array<ThemeColorInput> | null | undefined;
  /** Transcription of the recording. 0 to 524,288 characters. Null when not set. */
  transcription?: string | null | undefined;
  /** Language of the transcription as a BCP 47 tag. 0 to 35 characters. Null when not set. */
  transcriptionLanguage?: string | null | undefined;
};

/** Type of a variant. */
export type VariantType =
  /** The uploaded or embedded cover in four sizes, and its colors. */
  | 'COVER'
  /** Loudness over time and the waveform as numbers, for drawing. */
  | 'LEVELS'
  /** The uploaded bytes, unchanged. */
  | 'ORIGINAL'
  /** A short clip of the recording. */
  | 'PREVIEW'
  /** The whole recording in another codec. */
  | 'TRANSCODE'
  /** An image of the waveform, without margins. */
  | 'WAVEFORM_IMAGE'
  /** A video of the recording and its waveform, with bars that light up as they are played. */
  | 'WAVEFORM_VIDEO';

export type CoverPartsFragment = { small: { url: string, width: number, height: number } };

export type TrackRowFragment = { id: string, order: number, status: TrackStatus, statusText: string | null, duration: number | null, fileNameOriginal: string | null, playerTitle: string | null, createdAt: string, coverImage: { small: { url: string, width: number, height: number } } | null };

export type ShelfQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  filter?: CollectionFilter | null | undefined;
}>;


export type ShelfQuery = { collections: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, title: string, metadata: Record<string, unknown>, creator: { organizationIndex: string } | null, tracks: { totalCount: number, nodes: Array<{ id: string, order: number, status: TrackStatus, statusText: string | null, duration: number | null, fileNameOriginal: string | null, playerTitle: string | null, createdAt: string, coverImage: { small: { url: string, width: number, height: number } } | null }> } }> } };

export type TrackPageQueryVariables = Exact<{
  id: string | number;
}>;


export type TrackPageQuery = { track: { id: string, order: number, status: TrackStatus, statusText: string | null, duration: number | null, fileNameOriginal: string | null, playerTitle: string | null, createdAt: string, info: { codec: string, sampleRate: number, channels: number } | null, levels: { levels: Array<number>, max: number } | null, files: Array<{ id: string, state: TrackFileState, url: string | null, size: number | null, variant: { index: string, variantTypeId: VariantType }, props:
        | { __typename: 'LevelsProps' }
        | { __typename: 'OriginalProps' }
        | { __typename: 'PreviewProps', codec: AudioCodec, bitrate: number | null, previewType: PreviewLength, previewSeconds: number | null }
        | { __typename: 'TranscodeProps', codec: AudioCodec, bitrate: number | null }
        | { __typename: 'WaveformImageProps' }
        | { __typename: 'WaveformVideoProps' }
       | null, data:
        | { __typename: 'CoverImages' }
        | { __typename: 'LevelsData' }
        | { __typename: 'PreviewData', captureStart: number, captureEnd: number }
        | { __typename: 'WaveformImageData' }
        | { __typename: 'WaveformVideoData' }
       | null }>, coverImage: { small: { url: string, width: number, height: number } } | null } | null };

export type FailedTracksQueryVariables = Exact<{
  from: string;
}>;


export type FailedTracksQuery = { tracks: { nodes: Array<{ id: string, statusCode: string | null, statusText: string | null }> } };

export type NewCollectionMutationVariables = Exact<{
  input: CreateCollectionInput;
}>;


export type NewCollectionMutation = { createCollection: { collection: { id: string, title: string }, collectionCoverUpload: { uploadUrl: string } } };

export type NewTrackMutationVariables = Exact<{
  input: CreateTrackInput;
}>;


export type NewTrackMutation = { createTrack: { track: { id: string, status: TrackStatus }, upload: { trackUpload: { method: string, uploadUrl: string, expiresAt: string } } } };

export type NameTrackMutationVariables = Exact<{
  id: string | number;
  input: UpdateTrackInput;
}>;


export type NameTrackMutation = { updateTrack: { track: { id: string, playerTitle: string | null, metadata: Record<string, unknown> } } };

export type ShareTrackMutationVariables = Exact<{
  input: CreateShareKeyInput;
}>;


export type ShareTrackMutation = { createShareKey: { key: string, record: { id: string, kind: KeyKind, variant: { index: string } | null } } };

export const CoverPartsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CoverParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CoverImages"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"small"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"width"}},{"kind":"Field","name":{"kind":"Name","value":"height"}}]}}]}}]} as unknown as DocumentNode<CoverPartsFragment, unknown>;
export const TrackRowFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"TrackRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Track"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"order"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"statusText"}},{"kind":"Field","name":{"kind":"Name","value":"duration"}},{"kind":"Field","name":{"kind":"Name","value":"fileNameOriginal"}},{"kind":"Field","name":{"kind":"Name","value":"playerTitle"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"coverImage"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CoverParts"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CoverParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CoverImages"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"small"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"width"}},{"kind":"Field","name":{"kind":"Name","value":"height"}}]}}]}}]} as unknown as DocumentNode<TrackRowFragment, unknown>;
export const ShelfDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Shelf"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"CollectionFilter"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collections"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"field"},"value":{"kind":"EnumValue","value":"TITLE"}},{"kind":"ObjectField","name":{"kind":"Name","value":"direction"},"value":{"kind":"EnumValue","value":"ASC"}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"creator"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"organizationIndex"}}]}},{"kind":"Field","name":{"kind":"Name","value":"tracks"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"3"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"TrackRow"}}]}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CoverParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CoverImages"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"small"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"width"}},{"kind":"Field","name":{"kind":"Name","value":"height"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"TrackRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Track"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"order"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"statusText"}},{"kind":"Field","name":{"kind":"Name","value":"duration"}},{"kind":"Field","name":{"kind":"Name","value":"fileNameOriginal"}},{"kind":"Field","name":{"kind":"Name","value":"playerTitle"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"coverImage"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CoverParts"}}]}}]}}]} as unknown as DocumentNode<ShelfQuery, ShelfQueryVariables>;
export const TrackPageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"TrackPage"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"track"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"TrackRow"}},{"kind":"Field","name":{"kind":"Name","value":"info"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"codec"}},{"kind":"Field","name":{"kind":"Name","value":"sampleRate"}},{"kind":"Field","name":{"kind":"Name","value":"channels"}}]}},{"kind":"Field","name":{"kind":"Name","value":"levels"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"levels"}},{"kind":"Field","name":{"kind":"Name","value":"max"}}]}},{"kind":"Field","name":{"kind":"Name","value":"files"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"size"}},{"kind":"Field","name":{"kind":"Name","value":"variant"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"index"}},{"kind":"Field","name":{"kind":"Name","value":"variantTypeId"}}]}},{"kind":"Field","name":{"kind":"Name","value":"props"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"TranscodeProps"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"codec"}},{"kind":"Field","name":{"kind":"Name","value":"bitrate"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PreviewProps"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"codec"}},{"kind":"Field","name":{"kind":"Name","value":"bitrate"}},{"kind":"Field","name":{"kind":"Name","value":"previewType"}},{"kind":"Field","name":{"kind":"Name","value":"previewSeconds"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"data"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PreviewData"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"captureStart"}},{"kind":"Field","name":{"kind":"Name","value":"captureEnd"}}]}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CoverParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CoverImages"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"small"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"width"}},{"kind":"Field","name":{"kind":"Name","value":"height"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"TrackRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Track"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"order"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"statusText"}},{"kind":"Field","name":{"kind":"Name","value":"duration"}},{"kind":"Field","name":{"kind":"Name","value":"fileNameOriginal"}},{"kind":"Field","name":{"kind":"Name","value":"playerTitle"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"coverImage"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CoverParts"}}]}}]}}]} as unknown as DocumentNode<TrackPageQuery, TrackPageQueryVariables>;
export const FailedTracksDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"FailedTracks"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"from"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"tracks"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"status"},"value":{"kind":"ListValue","values":[{"kind":"EnumValue","value":"ERROR"},{"kind":"EnumValue","value":"INIT_ERROR"}]}},{"kind":"ObjectField","name":{"kind":"Name","value":"createdFrom"},"value":{"kind":"Variable","name":{"kind":"Name","value":"from"}}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"statusCode"}},{"kind":"Field","name":{"kind":"Name","value":"statusText"}}]}}]}}]}}]} as unknown as DocumentNode<FailedTracksQuery, FailedTracksQueryVariables>;
export const NewCollectionDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"NewCollection"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateCollectionInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createCollection"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collection"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}}]}},{"kind":"Field","name":{"kind":"Name","value":"collectionCoverUpload"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"uploadUrl"}}]}}]}}]}}]} as unknown as DocumentNode<NewCollectionMutation, NewCollectionMutationVariables>;
export const NewTrackDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"NewTrack"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateTrackInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createTrack"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"track"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}},{"kind":"Field","name":{"kind":"Name","value":"upload"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"trackUpload"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"method"}},{"kind":"Field","name":{"kind":"Name","value":"uploadUrl"}},{"kind":"Field","name":{"kind":"Name","value":"expiresAt"}}]}}]}}]}}]}}]} as unknown as DocumentNode<NewTrackMutation, NewTrackMutationVariables>;
export const NameTrackDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"NameTrack"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpdateTrackInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"updateTrack"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}},{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"track"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"playerTitle"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}}]}}]}}]}}]} as unknown as DocumentNode<NameTrackMutation, NameTrackMutationVariables>;
export const ShareTrackDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ShareTrack"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateShareKeyInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createShareKey"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"key"}},{"kind":"Field","name":{"kind":"Name","value":"record"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"variant"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"index"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ShareTrackMutation, ShareTrackMutationVariables>;