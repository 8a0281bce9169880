export interface paths {
    "/v1/api_key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a key for uploading, playing or sharing.
         * @description Only administrators create keys of kind `api`, with GraphQL.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/event": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the events after a cursor, oldest first.
         * @description For clients that poll instead of receiving webhooks. Send `next` as `after` of the next request.
         */
        get: operations["followEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organization/{organization_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the organization of the key. */
        get: operations["getOrganization"];
        /** Changes the given fields of the organization. */
        put: operations["updateOrganization"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organization/{organization_id}/cover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Returns an address to upload the organization's cover to. */
        post: operations["createOrganizationCover"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/creator": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the creators of the organization, newest first. */
        get: operations["listCreators"];
        put?: never;
        /** Creates a creator and its storage folder. */
        post: operations["createCreator"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/creator/{creator_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a creator. */
        get: operations["getCreator"];
        /** Changes the given fields of a creator. */
        put: operations["updateCreator"];
        post?: never;
        /** Deletes a creator that has no collections and no tracks. */
        delete: operations["deleteCreator"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/variant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the organization-wide variants, newest first. */
        get: operations["listVariants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/variant/{variant_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns an organization-wide variant. */
        get: operations["getVariant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the collections of the organization, newest first. */
        get: operations["listCollections"];
        put?: never;
        /** Creates a collection. */
        post: operations["createCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collection/{collection_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a collection. */
        get: operations["getCollection"];
        /** Changes the given fields of a collection. Null clears a nullable field. */
        put: operations["updateCollection"];
        post?: never;
        /**
         * Deletes a collection and its tracks.
         * @description Delivery of the files stops at once. Of more than 5,000 tracks, the rest leaves lists within minutes.
         */
        delete: operations["deleteCollection"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collection/{collection_id}/cover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Returns an address to upload the collection's cover to. */
        post: operations["createCollectionCover"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collection/{collection_id}/track": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the tracks of a collection, newest first. */
        get: operations["listTracks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/track/{track_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a track with its files. */
        get: operations["getTrack"];
        /** Changes the given fields of a track. Null clears a nullable field. */
        put: operations["updateTrack"];
        post?: never;
        /** Deletes a track. Delivery of its files stops at once. */
        delete: operations["deleteTrack"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/track/{track_id}/cover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Returns an address to upload the track's cover to. */
        post: operations["createTrackCover"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/play_session/collection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a play session for a collection.
         * @description It ends at the latest when its key expires or is revoked.
         */
        post: operations["createPlaySessionOfCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/play_session/track": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a play session for a track.
         * @description It ends at the latest when its key expires or is revoked.
         */
        post: operations["createPlaySessionOfTrack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/play_session/{play_session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a play session with its tracks. */
        get: operations["getPlaySession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/play/{play_session_id}/{track_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the data that a player needs to play one track. */
        get: operations["getPlayback"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/play/{play_session_id}/{track_id}/{variant_index}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a signed URL that makes a browser save a file. */
        get: operations["getDownload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/upload_session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates an upload session, and its first track if the body contains one.
         * @description It ends at the latest when its key expires or is revoked.
         */
        post: operations["createUploadSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/upload_session/{upload_session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns an upload session. */
        get: operations["getUploadSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/upload/{upload_session_id}/track": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Creates a track in a session. Called once per file. */
        post: operations["createUploadTrack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/track": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Creates a track outside a session. */
        post: operations["createTrack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/track/{track_id}/variant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adds a variant to one processed track and queues its file.
         * @description The track is `processing` until the file is made.
         */
        post: operations["addTrackVariant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/track/{track_id}/rebuild": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rebuilds files of a track.
         * @description Existing files are delivered until they are replaced.
         */
        post: operations["rebuildTrack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns play requests and listens. */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage/storage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the bytes in storage. */
        get: operations["getStorageUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage/processing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the processing time of jobs. */
        get: operations["getProcessingUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stream/{track_id}/{api_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Redirects a stream link to the file.
         * @description The share key is the credential. Each redirect counts as a play request. Browsers get errors as a page (Accept prefers text/html).
         */
        get: operations["openStream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/upload/track/{id}": {
        parameters: {
            query: {
                /** @description Part of the address. */
                issued: string;
                /** @description Part of the address. */
                expires: string;
                /** @description Part of the address. */
                signature: string;
            };
            header?: never;
            path: {
                /** @description ID of the record. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        /**
         * Uploads the recording of a track.
         * @description The address of an upload handle, unchanged. It accepts one upload, which must start before it expires and arrive at 16 KiB per second or faster. An edge that receives too many uploads at once answers 503 with `Retry-After`.
         */
        put: operations["uploadTrack"];
        /**
         * Starts a resumable upload.
         * @description For uploads that may be interrupted: https://tus.io/protocols/resumable-upload. Only what OPTIONS announces is accepted; `Upload-Concat` is refused with 400.
         */
        post: operations["beginResumableUpload"];
        /**
         * Cancels a resumable upload.
         * @description For uploads that may be interrupted: https://tus.io/protocols/resumable-upload. Only what OPTIONS announces is accepted; `Upload-Concat` is refused with 400.
         */
        delete: operations["cancelResumableUpload"];
        options?: never;
        /**
         * Returns the progress of a resumable upload.
         * @description For uploads that may be interrupted: https://tus.io/protocols/resumable-upload. Only what OPTIONS announces is accepted; `Upload-Concat` is refused with 400.
         */
        head: operations["getResumableUpload"];
        /**
         * Uploads the next piece.
         * @description For uploads that may be interrupted: https://tus.io/protocols/resumable-upload. Only what OPTIONS announces is accepted; `Upload-Concat` is refused with 400.
         */
        patch: operations["continueResumableUpload"];
        trace?: never;
    };
    "/upload/track-cover/{id}": {
        parameters: {
            query: {
                /** @description Part of the address. */
                issued: string;
                /** @description Part of the address. */
                expires: string;
                /** @description Part of the address. */
                signature: string;
            };
            header?: never;
            path: {
                /** @description ID of the record. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Uploads the cover of a track.
         * @description The address of an upload handle, unchanged. It accepts one upload, which must start before it expires and arrive at 16 KiB per second or faster. An edge that receives too many uploads at once answers 503 with `Retry-After`.
         */
        post: operations["uploadTrackCover"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/upload/collection-cover/{id}": {
        parameters: {
            query: {
                /** @description Part of the address. */
                issued: string;
                /** @description Part of the address. */
                expires: string;
                /** @description Part of the address. */
                signature: string;
            };
            header?: never;
            path: {
                /** @description ID of the record. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Uploads the cover of a collection.
         * @description The address of an upload handle, unchanged. It accepts one upload, which must start before it expires and arrive at 16 KiB per second or faster. An edge that receives too many uploads at once answers 503 with `Retry-After`.
         */
        post: operations["uploadCollectionCover"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/upload/organization-cover/{id}": {
        parameters: {
            query: {
                /** @description Part of the address. */
                issued: string;
                /** @description Part of the address. */
                expires: string;
                /** @description Part of the address. */
                signature: string;
            };
            header?: never;
            path: {
                /** @description ID of the record. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Uploads the cover of the organization.
         * @description The address of an upload handle, unchanged. It accepts one upload, which must start before it expires and arrive at 16 KiB per second or faster. An edge that receives too many uploads at once answers 503 with `Retry-After`.
         */
        post: operations["uploadOrganizationCover"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/{file_path}": {
        parameters: {
            query: {
                /** @description Time of the signature, and the signature. */
                verify: string;
            };
            header?: {
                /** @description One range of the file. Ignored for HEAD. */
                Range?: string;
                /** @description Applies Range only if the file has not changed. */
                "If-Range"?: string;
                /** @description Returns the file only if it has changed. */
                "If-None-Match"?: string;
                /** @description Returns the file only if it has not changed, else 412. */
                "If-Match"?: string;
                /** @description The same by date. */
                "If-Unmodified-Since"?: string;
            };
            path: {
                /** @description Path of the file. Slashes are not escaped. */
                file_path: string;
            };
            cookie?: never;
        };
        /**
         * Delivers a file or a range of it.
         * @description Target of stream links, and `url` of a file. Browsers get errors as a page (Accept prefers text/html).
         */
        get: operations["getFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Returns the headers of a file.
         * @description Target of stream links, and `url` of a file. Browsers get errors as a page (Accept prefers text/html).
         */
        head: operations["headFile"];
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "track.status_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A track reached the end of its processing.
         * @description Retried for about a day until the endpoint answers 2xx within 15 seconds.
         */
        post: operations["onTrackStatusChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "track_file.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A file of a track is finished.
         * @description Retried for about a day until the endpoint answers 2xx within 15 seconds.
         */
        post: operations["onTrackFileCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "track_file.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A file of a track failed.
         * @description Retried for about a day until the endpoint answers 2xx within 15 seconds.
         */
        post: operations["onTrackFileFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "collection.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A collection was created.
         * @description Retried for about a day until the endpoint answers 2xx within 15 seconds.
         */
        post: operations["onCollectionCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "collection.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A collection was updated.
         * @description Retried for about a day until the endpoint answers 2xx within 15 seconds.
         */
        post: operations["onCollectionUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "collection.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A collection was deleted.
         * @description Retried for about a day until the endpoint answers 2xx within 15 seconds.
         */
        post: operations["onCollectionDeleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "collection.restored": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A collection was restored.
         * @description Retried for about a day until the endpoint answers 2xx within 15 seconds.
         */
        post: operations["onCollectionRestored"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.disabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An endpoint was disabled. Sent to the other endpoints.
         * @description Retried for about a day until the endpoint answers 2xx within 15 seconds.
         */
        post: operations["onWebhookDisabled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A test of an endpoint, requested with sendTestWebhook.
         * @description Retried for about a day until the endpoint answers 2xx within 15 seconds.
         */
        post: operations["onWebhookTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        CreateApiKey: {
            /** @description Shown to administrators. 1 to 200 characters. */
            title: string;
            /**
             * Format: uuid
             * @description Limits the key to one collection. Null without this limit.
             */
            collection_id?: string | null;
            /**
             * Format: uuid
             * @description Limits the key to one track of its collection. Null without this limit.
             */
            track_id?: string | null;
            /**
             * Format: uuid
             * @description Limits the key to one creator. Null without this limit.
             */
            creator_id?: string | null;
            /**
             * Format: date-time
             * @description Time from which the key is refused. Null when the key does not expire.
             */
            expires_at?: string | null;
            /**
             * @description Indexes or IDs of variants: exactly one for a share key, none for an uploader key. 0 to 50.
             * @default []
             */
            variants?: string[] | null;
            /**
             * @description Whether the play sessions of a player key may be downloadable, if requested. Always false for other kinds. Defaults to false.
             * @default false
             */
            is_downloadable?: boolean | null;
            /**
             * @description What the key may do.
             * @enum {string}
             */
            api_key_type_id: "uploader" | "player" | "share";
        };
        Event: {
            /**
             * Format: uuid
             * @description ID of the event. UUID. The `webhook-id` of its webhook deliveries.
             */
            id: string;
            /**
             * Format: uuid
             * @description ID of the organization.
             */
            organization_id: string;
            /**
             * Format: date-time
             * @description Time of the event.
             */
            created_at: string;
            /**
             * @description Type of the event.
             * @enum {string}
             */
            type: "track.status_changed" | "track_file.created" | "track_file.failed" | "collection.created" | "collection.updated" | "collection.deleted" | "collection.restored" | "webhook.disabled" | "webhook.test";
            /** @description The same data that a webhook of this type has. URLs are signed when it is read, and valid for an hour. */
            data: {
                /**
                 * Format: uuid
                 * @description ID of the organization.
                 */
                organization_id: string;
            } & {
                [key: string]: unknown;
            };
        };
        CoverColor: {
            /** @description The color. Hexadecimal, such as `#5b5bd6`. */
            hex: string;
            /** @description Share of the image that has this color. 0 to 1. */
            area: number;
            /** @description Lightness, from black to white. 0 to 1. */
            lightness: number;
            /** @description Saturation, from grey to full color. 0 to 1. */
            saturation: number;
        };
        /** @description The tenant that creators, collections and tracks belong to. */
        Organization: {
            /**
             * Format: uuid
             * @description ID of the organization. UUID.
             */
            id: string;
            /** @description Name of the organization, shown in the dashboard. 1 to 255 characters. */
            name: string;
            /** @description Colors of the cover, largest area first. At most 64. The colors of an uploaded cover replace a theme that was set; processing and rebuilding a recording do not. */
            theme: components["schemas"]["CoverColor"][];
            /** @description Whether collections and tracks may have a theme of their own. */
            is_theme_overridable: boolean;
            /** @description Whether collections and tracks may have a cover of their own. */
            is_cover_overridable: boolean;
            /** @description Color of players. Hexadecimal, such as `#5b5bd6`. */
            player_color: string;
            /** @description Subtitle of players, shown below the title. 0 to 1,024 characters. */
            player_subtitle: string;
            /** @description The player color, made legible on light backgrounds. Hexadecimal, such as `#5b5bd6`. Null without a player color. */
            player_color_light: string | null;
            /** @description The player color, made legible on dark backgrounds. Hexadecimal, such as `#5b5bd6`. Null without a player color. */
            player_color_dark: string | null;
            /**
             * Format: uri
             * @description Address that receives events. Set in the dashboard. Null when not set.
             */
            webhook_url: string | null;
        };
        UpdateOrganization: {
            /** @description Name of the organization, shown in the dashboard. 1 to 255 characters. */
            name?: string;
            /** @description Colors of the cover, largest area first. At most 64. The colors of an uploaded cover replace a theme that was set; processing and rebuilding a recording do not. */
            theme?: components["schemas"]["SetCoverColor"][];
            /** @description Whether collections and tracks may have a theme of their own. */
            is_theme_overridable?: boolean;
            /** @description Whether collections and tracks may have a cover of their own. */
            is_cover_overridable?: boolean;
            /** @description Color of players. Hexadecimal, such as `#5b5bd6`. */
            player_color?: string;
            /** @description Subtitle of players, shown below the title. 0 to 1,024 characters. */
            player_subtitle?: string;
        };
        SetCoverColor: {
            /** @description The color. Hexadecimal, such as `#5b5bd6`. */
            hex: string;
            /** @description Share of the image that has this color. 0 to 1. */
            area: number;
            /** @description Lightness, from black to white. 0 to 1. */
            lightness: number;
            /** @description Saturation, from grey to full color. 0 to 1. */
            saturation: number;
        };
        /** @description Takes a cover, as a raw body or as the only file of a form. */
        CoverUpload: {
            /** @constant */
            method: "POST";
            /**
             * Format: uri
             * @description Signed URL for one upload.
             */
            upload_url: string;
            /** @description Seconds in which the upload may begin. */
            ttl: number;
            /**
             * Format: date-time
             * @description Time before which the upload must begin.
             */
            expires_at: string;
        };
        /** @description A sub-account of the organization, typically one contributor. */
        Creator: {
            /**
             * Format: uuid
             * @description ID of the creator. UUID.
             */
            id: string;
            /**
             * Format: uuid
             * @description ID of the organization that it belongs to.
             */
            organization_id: string;
            /**
             * Format: uuid
             * @description ID of the storage folder that contains its collections and tracks.
             */
            folder_id: string;
            /** @description The client's own identifier, unique among the creators of the organization. 1 to 255 characters. */
            organization_index: string;
            /** @description Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep. */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
        };
        CreateCreator: {
            /** @description The client's own identifier, unique among the creators of the organization. 1 to 255 characters. */
            organization_index: string;
            /** @description Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        UpdateCreator: {
            /** @description The client's own identifier, unique among the creators of the organization. 1 to 255 characters. */
            organization_index?: string;
            /** @description Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        DeletedCreator: {
            /**
             * Format: uuid
             * @description ID of the creator. UUID.
             */
            id: string;
            /**
             * Format: uuid
             * @description ID of the organization that it belongs to.
             */
            organization_id: string;
            /**
             * Format: uuid
             * @description ID of the storage folder that contains its collections and tracks.
             */
            folder_id: string;
            /** @description The client's own identifier, unique among the creators of the organization. 1 to 255 characters. */
            organization_index: string;
            /** @description Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep. */
            metadata: {
                [key: string]: unknown;
            };
        };
        VariantProps: ({
            /**
             * @description Codec of the file. `aac`, `mp3`, `ogg`, or `opus`. Defaults to `aac`.
             * @default aac
             * @enum {string}
             */
            codec?: "aac" | "mp3" | "ogg" | "opus";
            /**
             * @description Bit rate in kbps. 12 to 320. Defaults to 128.
             * @default 128
             */
            bitrate?: number;
            /**
             * @description Stereo. False mixes down to mono. Defaults to `true`.
             * @default true
             */
            is_stereo?: boolean;
            /**
             * @description Whether to remove the tags of the recording. Defaults to `true`.
             * @default true
             */
            is_strip_tags?: boolean;
            /**
             * @description Whether to remove the embedded cover. Defaults to `true`.
             * @default true
             */
            is_strip_cover?: boolean;
            /** @description Integrated loudness of the file in LUFS, that of the recording by default. -40 to -5. */
            normalize?: number;
            /**
             * @description How `normalize` is reached. `linear`, the default, changes the gain only, so that peaks may keep a file below its loudness. `dynamic` limits these peaks. `linear` or `dynamic`.
             * @enum {string}
             */
            normalize_mode?: "linear" | "dynamic";
            /** @description Whether to leave out the silence before the first and after the last sample of -60 dBFS or more, except for 0.05 and 0.5 seconds. False by default. */
            is_trim_silence?: boolean;
            /** @description Whether to measure the loudness of the file. Files with `normalize` always are. False by default, because it takes as long as a decode. */
            is_measured?: boolean;
            /**
             * @description Whether every second has the bit rate (`cbr`, only mp3 and opus) or the sound decides (`vbr`). By default `cbr` for mp3, else `vbr`. `cbr` or `vbr`.
             * @enum {string}
             */
            bitrate_mode?: "cbr" | "vbr";
        } | {
            /**
             * @description Lossless codec of the file. `flac`, `alac`, or `wav`.
             * @enum {string}
             */
            codec: "flac" | "alac" | "wav";
            /**
             * @description Bits per sample of a lossless codec. By default 24 for a recording of more than 16 bits, else 16. 16 or 24.
             * @enum {number}
             */
            bit_depth?: 16 | 24;
            /**
             * @description Stereo. False mixes down to mono. Defaults to `true`.
             * @default true
             */
            is_stereo?: boolean;
            /**
             * @description Whether to remove the tags of the recording. Defaults to `true`.
             * @default true
             */
            is_strip_tags?: boolean;
            /**
             * @description Whether to remove the embedded cover. Defaults to `true`.
             * @default true
             */
            is_strip_cover?: boolean;
            /** @description Integrated loudness of the file in LUFS, that of the recording by default. -40 to -5. */
            normalize?: number;
            /**
             * @description How `normalize` is reached. `linear`, the default, changes the gain only, so that peaks may keep a file below its loudness. `dynamic` limits these peaks. `linear` or `dynamic`.
             * @enum {string}
             */
            normalize_mode?: "linear" | "dynamic";
            /** @description Whether to leave out the silence before the first and after the last sample of -60 dBFS or more, except for 0.05 and 0.5 seconds. False by default. */
            is_trim_silence?: boolean;
            /** @description Whether to measure the loudness of the file. Files with `normalize` always are. False by default, because it takes as long as a decode. */
            is_measured?: boolean;
        }) | ({
            /**
             * @description Unit of the length of the clip. `seconds` or `percent`. Defaults to `seconds`.
             * @default seconds
             * @constant
             */
            preview_type?: "seconds";
            /**
             * @description Length in seconds. At least 0. Defaults to 60.
             * @default 60
             */
            preview_seconds?: number;
            /**
             * @description Minimum length in percent of the recording. 0 to 100. Defaults to 0.
             * @default 0
             */
            preview_min_percent?: number;
            /**
             * @description Maximum length in percent of the recording. 0 to 100. Defaults to 50.
             * @default 50
             */
            preview_max_percent?: number;
            /**
             * @description Start of the clip in percent of the recording. 0 to 100. Defaults to 25.
             * @default 25
             */
            preview_start_percent?: number;
            /**
             * @description Codec of the file. `aac`, `mp3`, `ogg`, or `opus`. Defaults to `aac`.
             * @default aac
             * @enum {string}
             */
            codec?: "aac" | "mp3" | "ogg" | "opus";
            /**
             * @description Bit rate in kbps. 12 to 320. Defaults to 128.
             * @default 128
             */
            bitrate?: number;
            /**
             * @description Stereo. False mixes down to mono. Defaults to `true`.
             * @default true
             */
            is_stereo?: boolean;
            /**
             * @description Whether to remove the tags of the recording. Defaults to `true`.
             * @default true
             */
            is_strip_tags?: boolean;
            /**
             * @description Whether to remove the embedded cover. Defaults to `true`.
             * @default true
             */
            is_strip_cover?: boolean;
            /** @description Integrated loudness of the file in LUFS, that of the recording by default. -40 to -5. */
            normalize?: number;
            /**
             * @description How `normalize` is reached. `linear`, the default, changes the gain only, so that peaks may keep a file below its loudness. `dynamic` limits these peaks. `linear` or `dynamic`.
             * @enum {string}
             */
            normalize_mode?: "linear" | "dynamic";
            /** @description Whether to leave out the silence before the first and after the last sample of -60 dBFS or more, except for 0.05 and 0.5 seconds. False by default. */
            is_trim_silence?: boolean;
            /** @description Whether to measure the loudness of the file. Files with `normalize` always are. False by default, because it takes as long as a decode. */
            is_measured?: boolean;
            /**
             * @description Whether every second has the bit rate (`cbr`, only mp3 and opus) or the sound decides (`vbr`). By default `cbr` for mp3, else `vbr`. `cbr` or `vbr`.
             * @enum {string}
             */
            bitrate_mode?: "cbr" | "vbr";
            /** @description Length of the fade at the start, in seconds. None by default. 0 to 30. */
            fade_in_seconds?: number;
            /** @description Length of the fade at the end, in seconds. None by default. 0 to 30. */
            fade_out_seconds?: number;
        } | {
            /**
             * @description Unit of the length of the clip. `seconds` or `percent`. Defaults to `seconds`.
             * @constant
             */
            preview_type: "percent";
            /**
             * @description Length in percent of the recording. 0 to 100. Defaults to 25.
             * @default 25
             */
            preview_percent?: number;
            /**
             * @description Minimum length in seconds. At least 0. Defaults to 0.
             * @default 0
             */
            preview_min_seconds?: number;
            /**
             * @description Maximum length in seconds. At least 0. Defaults to 90.
             * @default 90
             */
            preview_max_seconds?: number;
            /**
             * @description Start of the clip in percent of the recording. 0 to 100. Defaults to 25.
             * @default 25
             */
            preview_start_percent?: number;
            /**
             * @description Codec of the file. `aac`, `mp3`, `ogg`, or `opus`. Defaults to `aac`.
             * @default aac
             * @enum {string}
             */
            codec?: "aac" | "mp3" | "ogg" | "opus";
            /**
             * @description Bit rate in kbps. 12 to 320. Defaults to 128.
             * @default 128
             */
            bitrate?: number;
            /**
             * @description Stereo. False mixes down to mono. Defaults to `true`.
             * @default true
             */
            is_stereo?: boolean;
            /**
             * @description Whether to remove the tags of the recording. Defaults to `true`.
             * @default true
             */
            is_strip_tags?: boolean;
            /**
             * @description Whether to remove the embedded cover. Defaults to `true`.
             * @default true
             */
            is_strip_cover?: boolean;
            /** @description Integrated loudness of the file in LUFS, that of the recording by default. -40 to -5. */
            normalize?: number;
            /**
             * @description How `normalize` is reached. `linear`, the default, changes the gain only, so that peaks may keep a file below its loudness. `dynamic` limits these peaks. `linear` or `dynamic`.
             * @enum {string}
             */
            normalize_mode?: "linear" | "dynamic";
            /** @description Whether to leave out the silence before the first and after the last sample of -60 dBFS or more, except for 0.05 and 0.5 seconds. False by default. */
            is_trim_silence?: boolean;
            /** @description Whether to measure the loudness of the file. Files with `normalize` always are. False by default, because it takes as long as a decode. */
            is_measured?: boolean;
            /**
             * @description Whether every second has the bit rate (`cbr`, only mp3 and opus) or the sound decides (`vbr`). By default `cbr` for mp3, else `vbr`. `cbr` or `vbr`.
             * @enum {string}
             */
            bitrate_mode?: "cbr" | "vbr";
            /** @description Length of the fade at the start, in seconds. None by default. 0 to 30. */
            fade_in_seconds?: number;
            /** @description Length of the fade at the end, in seconds. None by default. 0 to 30. */
            fade_out_seconds?: number;
        }) | {
            /**
             * @description Number of loudness values. 1 to 10,000. Defaults to 320.
             * @default 320
             */
            num_samples?: number;
            /**
             * @description Samples of the recording per pair of waveform values. 64 to 65,536. Defaults to 256.
             * @default 256
             */
            samples_per_pixel?: number;
            /**
             * @description Bits per waveform value. 8 or 16. Defaults to 8.
             * @default 8
             * @enum {number}
             */
            bits?: 8 | 16;
            /**
             * @description Number of waveforms. 1, the default, averages the channels. 2 has one for the left and one for the right channel; a mono file still has one. 1 or 2.
             * @enum {number}
             */
            waveform_channels?: 1 | 2;
        } | {
            /**
             * @description Format of the file. `png` is the default. `svg` stays sharp at any size, and a page that inlines it sets its color by CSS. `png` or `svg`.
             * @enum {string}
             */
            format?: "png" | "svg";
            /**
             * @description Width in pixels. 16 to 4,096. Defaults to 1,800.
             * @default 1800
             */
            width?: number;
            /**
             * @description Height in pixels. 16 to 2,048. Defaults to 280.
             * @default 280
             */
            height?: number;
            /**
             * @description Width of a bar in pixels. 1 to 64. Defaults to 4.
             * @default 4
             */
            bar_width?: number;
            /**
             * @description Pixels between two bars. 0 to 64. Defaults to 2.
             * @default 2
             */
            bar_gap?: number;
            /**
             * @description Whether bars have round ends. Defaults to `true`.
             * @default true
             */
            is_rounded?: boolean;
            /**
             * @description Color of the bars, as `#rrggbb`. Null, the default, is the effective player color of the track when the file is made.
             * @default null
             */
            color?: string | null;
            /**
             * @description Background color, as `#rrggbb`. Null, the default, is transparent.
             * @default null
             */
            background_color?: string | null;
        } | {
            /**
             * @description Width in pixels. Even. 128 to 1,920. Defaults to 1,280.
             * @default 1280
             */
            width?: number;
            /**
             * @description Height in pixels. Even. 128 to 1,080. Defaults to 720.
             * @default 720
             */
            height?: number;
            /**
             * @description Frames per second. 1 to 30. Defaults to 10.
             * @default 10
             */
            fps?: number;
            /**
             * @description Bit rate of the sound in kbps. 32 to 320. Defaults to 128.
             * @default 128
             */
            bitrate?: number;
            /**
             * @description Width of a bar in pixels. 1 to 64. Defaults to 4.
             * @default 4
             */
            bar_width?: number;
            /**
             * @description Pixels between two bars. 0 to 64. Defaults to 2.
             * @default 2
             */
            bar_gap?: number;
            /**
             * @description Whether bars have round ends. Defaults to `true`.
             * @default true
             */
            is_rounded?: boolean;
            /**
             * @description Color of the bars, as `#rrggbb`. Null, the default, is the effective player color of the track when the file is made.
             * @default null
             */
            color?: string | null;
            /**
             * @description Background color, as `#rrggbb`. Defaults to `#000000`.
             * @default #000000
             */
            background_color?: string;
        } | Record<string, never> | Record<string, never>;
        /** @description A recipe for a file of every upload, or of a single track. */
        Variant: {
            /**
             * Format: uuid
             * @description ID of the variant. UUID.
             */
            id: string;
            /**
             * Format: uuid
             * @description ID of the organization that it belongs to.
             */
            organization_id: string;
            /** @description Delivery name. 2 to 64 letters, digits, `_` or `-`. */
            index: string;
            /**
             * @description Type of the variant. It never changes.
             * @enum {string}
             */
            variant_type_id: "transcode" | "preview" | "levels" | "waveform_image" | "waveform_video" | "original" | "cover";
            /** @description Parameters with all defaults, by the type of the variant. */
            props: components["schemas"]["VariantProps"];
        };
        /** @description A group of tracks, such as an album, a show or a course. */
        Collection: {
            /**
             * Format: uuid
             * @description ID of the collection. UUID.
             */
            id: string;
            /**
             * Format: uuid
             * @description ID of the organization that it belongs to.
             */
            organization_id: string;
            /**
             * Format: uuid
             * @description ID of the creator that it belongs to. Null when it belongs to none.
             */
            creator_id: string | null;
            /** @description Title, shown to listeners. 1 to 1,024 characters. */
            title: string;
            /** @description The client's own identifier. Not unique. 0 to 255 characters. Null when not set. */
            organization_index: string | null;
            /** @description Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep. */
            metadata: {
                [key: string]: unknown;
            };
            /** @description Colors of the cover, largest area first. At most 64. The colors of an uploaded cover replace a theme that was set; processing and rebuilding a recording do not. */
            theme: components["schemas"]["CoverColor"][];
            /** @description Whether tracks may have a cover of their own. */
            is_cover_overridable: boolean;
            /** @description Whether tracks may have a theme of their own. */
            is_theme_overridable: boolean;
            /** @description Color of players. Hexadecimal, such as `#5b5bd6`. Null inherits the organization's. */
            player_color: string | null;
            /** @description Subtitle of players, shown below the title. 0 to 1,024 characters. Null when not set. */
            player_subtitle: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
            /** @description The player color, made legible on light backgrounds. Hexadecimal, such as `#5b5bd6`. Null without a player color. */
            player_color_light: string | null;
            /** @description The player color, made legible on dark backgrounds. Hexadecimal, such as `#5b5bd6`. Null without a player color. */
            player_color_dark: string | null;
        };
        CreateCollection: {
            /** @description Title, shown to listeners. 1 to 1,024 characters. */
            title: string;
            /** @description The client's own identifier. Not unique. 0 to 255 characters. Null when not set. */
            organization_index?: string | null;
            /** @description Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description Colors of the cover, largest area first. At most 64. The colors of an uploaded cover replace a theme that was set; processing and rebuilding a recording do not. */
            theme?: components["schemas"]["SetCoverColor"][];
            /** @description Whether tracks may have a cover of their own. */
            is_cover_overridable?: boolean;
            /** @description Whether tracks may have a theme of their own. */
            is_theme_overridable?: boolean;
            /** @description Color of players. Hexadecimal, such as `#5b5bd6`. Null inherits the organization's. */
            player_color?: string | null;
            /** @description Subtitle of players, shown below the title. 0 to 1,024 characters. Null when not set. */
            player_subtitle?: string | null;
            /**
             * Format: uuid
             * @description ID of the creator that it belongs to. A key that is scoped to a creator implies it.
             */
            creator_id?: string | null;
        };
        UpdateCollection: {
            /** @description Title, shown to listeners. 1 to 1,024 characters. */
            title?: string;
            /** @description The client's own identifier. Not unique. 0 to 255 characters. Null when not set. */
            organization_index?: string | null;
            /** @description Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description Colors of the cover, largest area first. At most 64. The colors of an uploaded cover replace a theme that was set; processing and rebuilding a recording do not. */
            theme?: components["schemas"]["SetCoverColor"][];
            /** @description Whether tracks may have a cover of their own. */
            is_cover_overridable?: boolean;
            /** @description Whether tracks may have a theme of their own. */
            is_theme_overridable?: boolean;
            /** @description Color of players. Hexadecimal, such as `#5b5bd6`. Null inherits the organization's. */
            player_color?: string | null;
            /** @description Subtitle of players, shown below the title. 0 to 1,024 characters. Null when not set. */
            player_subtitle?: string | null;
        };
        /** @description Measurements of the decoded recording. A value is null when it cannot be measured, as for silence. */
        TrackAnalysis: {
            /** @description Programme loudness of the recording in LUFS (EBU R 128, ITU-R BS.1770-5). Null when it cannot be measured. */
            integrated_lufs: number | null;
            /** @description Loudness range in LU (EBU Tech 3342). Null when it cannot be measured. */
            loudness_range_lu: number | null;
            /** @description Highest peak between the samples in dBTP (ITU-R BS.1770-5, annex 2). Null when it cannot be measured. */
            true_peak_dbtp: number | null;
            /** @description Highest sample in dBFS. 0 is full scale. Null when it cannot be measured. */
            sample_peak_dbfs: number | null;
            /** @description Seconds before the first sample of any channel above -60 dBFS. Null when it cannot be measured. */
            leading_silence_seconds: number | null;
            /** @description Seconds after the last sample of any channel above -60 dBFS. Null when it cannot be measured. */
            trailing_silence_seconds: number | null;
            /** @description Number of samples at full scale, of all channels, in runs of three or more. Null when it cannot be measured. */
            clipped_samples: number | null;
            /** @description Mean of the samples of the channel whose mean is farthest from 0. Linear, 1 is full scale. Null when it cannot be measured. */
            dc_offset: number | null;
            /** @description Estimated tempo in beats per minute. Null when it cannot be measured. */
            tempo_bpm: number | null;
            /** @description Confidence of the tempo. 0 to 1. Null when it cannot be measured. */
            tempo_confidence: number | null;
            /** @description Estimated musical key. Null when it cannot be measured. */
            key: string | null;
            /** @description Confidence of the key. 0 to 1. Null when it cannot be measured. */
            key_confidence: number | null;
            /** @description Seconds before the first place at which the file is damaged: its decoder reports an error there. Null for an undamaged file. */
            damaged_at_seconds?: number | null;
        };
        /** @description Properties of the uploaded recording. */
        TrackInfo: {
            /** @description Container, as ffprobe names it. */
            container: string;
            /** @description Codec, as ffprobe names it. */
            codec: string;
            /** @description Sample rate in Hz. */
            sample_rate: number;
            /** @description Bits of a stored sample. Null for codecs that store none. */
            bit_depth?: number | null;
            /** @description Number of channels. */
            channels: number;
            /** @description Speakers, as ffmpeg names them, such as `stereo` or `5.1`. Null when the recording does not contain them. */
            channel_layout?: string | null;
            /** @description Bits per second. Null when the container does not contain it. */
            bit_rate: number | null;
            /** @description Tags of the recording. Names are in lower case. Several values of a tag are joined by a semicolon and a space. */
            tags: {
                [key: string]: string;
            };
        };
        /** @description A track in a list: without its transcription. */
        ListedTrack: {
            /**
             * Format: uuid
             * @description ID of the track. UUID.
             */
            id: string;
            /**
             * Format: uuid
             * @description ID of the organization that it belongs to.
             */
            organization_id: string;
            /**
             * Format: uuid
             * @description ID of the collection that it belongs to.
             */
            collection_id: string;
            /**
             * Format: uuid
             * @description ID of the creator that it belongs to. Null when it belongs to none.
             */
            creator_id: string | null;
            /** @description Short URL-safe identifier, unique in the organization. */
            index: string;
            /** @description Position in the collection, starting at 0. Lists of a collection are in this order. It has gaps after deletions, and a track that was moved past more than 200 others may have the position of its neighbour. */
            order: number;
            /** @description Machine-readable reason for a failed track, or for one that is ready without files. Null without such a reason. */
            status_code: string | null;
            /** @description The reason as a sentence. Null without one. */
            status_text: string | null;
            /** @description File name in characters that are safe in headers and file systems. */
            file_name: string;
            /** @description File name as the client sent it. Null when unknown. */
            file_name_original: string | null;
            /** @description Properties of the uploaded recording. Null until probed. */
            info: components["schemas"]["TrackInfo"] | null;
            /** @description Measurements of the decoded recording. Null until measured. */
            analysis: components["schemas"]["TrackAnalysis"] | null;
            /** @description The client's own identifier. Not unique. 0 to 255 characters. Null when not set. */
            organization_index: string | null;
            /** @description Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep. */
            metadata: {
                [key: string]: unknown;
            };
            /** @description Title, shown to listeners. 0 to 1,024 characters. Null when not set. */
            player_title: string | null;
            /** @description Subtitle of players, shown below the title. 0 to 1,024 characters. Null when not set. */
            player_subtitle: string | null;
            /** @description Color of players. Hexadecimal, such as `#5b5bd6`. Null inherits the collection's. */
            player_color: string | null;
            /** @description Colors of the cover, largest area first. At most 64. The colors of an uploaded cover replace a theme that was set; processing and rebuilding a recording do not. */
            theme: components["schemas"]["CoverColor"][];
            /** @description Language of the transcription as a BCP 47 tag. 0 to 35 characters. Null when not set. */
            transcription_language: string | null;
            /** @description Path of its files, without variant index and extension. */
            base_path: string;
            /**
             * Format: date-time
             * @description Time at which processing finished. Null until processed.
             */
            files_completed_at: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
            /** @description The player color, made legible on light backgrounds. Hexadecimal, such as `#5b5bd6`. Null without a player color. */
            player_color_light: string | null;
            /** @description The player color, made legible on dark backgrounds. Hexadecimal, such as `#5b5bd6`. Null without a player color. */
            player_color_dark: string | null;
            /** @description Duration in seconds. Null until probed. */
            duration: number | null;
            /**
             * Format: uri
             * @description Base of the delivery addresses. Those of files continue with `_{variant index}.{ext}`.
             */
            base_url: string;
            /**
             * @description State of the upload and the processing.
             * @enum {string}
             */
            track_status_id: "initialized" | "processing" | "fallback_processing" | "ready" | "incomplete" | "error" | "init_error";
        };
        /** @description The part of the recording that a preview contains. */
        PreviewData: {
            /** @description Duration in seconds. */
            duration: number;
            /** @description Extension of the file name. */
            extension: string;
            /** @description Start in the recording, in seconds. */
            capture_start: number;
            /** @description End in the recording, in seconds. */
            capture_end: number;
            /** @description Content type of the delivery. */
            content_type: string;
        };
        /** @description Loudness over time, for drawing a waveform. */
        LevelsData: {
            /** @description Number of values. */
            num_samples: number;
            /** @description Mean of the values. */
            avg: number;
            /** @description Maximum of the values. */
            max: number;
            /** @description Minimum of the values. */
            min: number;
            /** @description Sample rate of the measurement in Hz. */
            resample: number;
            /** @description RMS of equal spans of the recording. Linear, 1 is full scale. */
            levels: number[];
            /**
             * @description Always `rms`.
             * @constant
             */
            metric: "rms";
            /** @description Minimum and maximum sample of each pixel, for left and right in turn if there are two channels, in the data format of BBC audiowaveform. Files of early versions have none. */
            waveform?: {
                /** @description Number of waveforms: 1 for averaged channels or a mono file, 2 for left and right. */
                channels: number;
                /** @description Sample rate of the measured sound in Hz. */
                sample_rate: number;
                /** @description Number of samples per pixel. */
                samples_per_pixel: number;
                /** @description Number of pixels. The last one may have fewer samples. */
                length: number;
                /** @description Index, at that time, of the transcode that was measured. Null for the recording itself. */
                variant_index: string | null;
                /**
                 * @description Version of the data format. Always 2.
                 * @constant
                 */
                version: 2;
                /**
                 * @description Bits per value. 8 or 16.
                 * @enum {number}
                 */
                bits: 8 | 16;
                /** @description The waveform as JSON. */
                json: {
                    /** @description Path of the delivery address. */
                    path: string;
                    /**
                     * Format: uri
                     * @description Signed delivery address. Valid for an hour.
                     */
                    url: string;
                    /** @description Content type. */
                    type: string;
                    /** @description Bytes. */
                    size: number;
                    /** @description SHA-256 of the delivered bytes. Lower-case hexadecimal. */
                    sha256: string;
                };
                /** @description The waveform as binary data, which is smaller than JSON. */
                dat: {
                    /** @description Path of the delivery address. */
                    path: string;
                    /**
                     * Format: uri
                     * @description Signed delivery address. Valid for an hour.
                     */
                    url: string;
                    /** @description Content type. */
                    type: string;
                    /** @description Bytes. */
                    size: number;
                    /** @description SHA-256 of the delivered bytes. Lower-case hexadecimal. */
                    sha256: string;
                };
            };
        };
        /** @description A cover in its four sizes. */
        CoverData: {
            icon: {
                /** @description Path of the delivery address. */
                path: string;
                /**
                 * Format: uri
                 * @description Signed delivery address. Valid for an hour.
                 */
                url: string;
                /** @description Content type. */
                type: string;
                /** @description Bytes. */
                size: number;
                /** @description SHA-256 of the delivered bytes. Lower-case hexadecimal. */
                sha256: string;
                /** @description Width in pixels. */
                width: number;
                /** @description Height in pixels. */
                height: number;
                /** @description The same image as WebP. Absent from covers of early versions. */
                webp?: {
                    /** @description Path of the delivery address. */
                    path: string;
                    /**
                     * Format: uri
                     * @description Signed delivery address. Valid for an hour.
                     */
                    url: string;
                    /** @description Content type. */
                    type: string;
                    /** @description Bytes. */
                    size: number;
                    /** @description SHA-256 of the delivered bytes. Lower-case hexadecimal. */
                    sha256: string;
                    /** @description Width in pixels. */
                    width: number;
                    /** @description Height in pixels. */
                    height: number;
                };
            };
            small: {
                /** @description Path of the delivery address. */
                path: string;
                /**
                 * Format: uri
                 * @description Signed delivery address. Valid for an hour.
                 */
                url: string;
                /** @description Content type. */
                type: string;
                /** @description Bytes. */
                size: number;
                /** @description SHA-256 of the delivered bytes. Lower-case hexadecimal. */
                sha256: string;
                /** @description Width in pixels. */
                width: number;
                /** @description Height in pixels. */
                height: number;
                /** @description The same image as WebP. Absent from covers of early versions. */
                webp?: {
                    /** @description Path of the delivery address. */
                    path: string;
                    /**
                     * Format: uri
                     * @description Signed delivery address. Valid for an hour.
                     */
                    url: string;
                    /** @description Content type. */
                    type: string;
                    /** @description Bytes. */
                    size: number;
                    /** @description SHA-256 of the delivered bytes. Lower-case hexadecimal. */
                    sha256: string;
                    /** @description Width in pixels. */
                    width: number;
                    /** @description Height in pixels. */
                    height: number;
                };
            };
            regular: {
                /** @description Path of the delivery address. */
                path: string;
                /**
                 * Format: uri
                 * @description Signed delivery address. Valid for an hour.
                 */
                url: string;
                /** @description Content type. */
                type: string;
                /** @description Bytes. */
                size: number;
                /** @description SHA-256 of the delivered bytes. Lower-case hexadecimal. */
                sha256: string;
                /** @description Width in pixels. */
                width: number;
                /** @description Height in pixels. */
                height: number;
                /** @description The same image as WebP. Absent from covers of early versions. */
                webp?: {
                    /** @description Path of the delivery address. */
                    path: string;
                    /**
                     * Format: uri
                     * @description Signed delivery address. Valid for an hour.
                     */
                    url: string;
                    /** @description Content type. */
                    type: string;
                    /** @description Bytes. */
                    size: number;
                    /** @description SHA-256 of the delivered bytes. Lower-case hexadecimal. */
                    sha256: string;
                    /** @description Width in pixels. */
                    width: number;
                    /** @description Height in pixels. */
                    height: number;
                };
            };
            large: {
                /** @description Path of the delivery address. */
                path: string;
                /**
                 * Format: uri
                 * @description Signed delivery address. Valid for an hour.
                 */
                url: string;
                /** @description Content type. */
                type: string;
                /** @description Bytes. */
                size: number;
                /** @description SHA-256 of the delivered bytes. Lower-case hexadecimal. */
                sha256: string;
                /** @description Width in pixels. */
                width: number;
                /** @description Height in pixels. */
                height: number;
                /** @description The same image as WebP. Absent from covers of early versions. */
                webp?: {
                    /** @description Path of the delivery address. */
                    path: string;
                    /**
                     * Format: uri
                     * @description Signed delivery address. Valid for an hour.
                     */
                    url: string;
                    /** @description Content type. */
                    type: string;
                    /** @description Bytes. */
                    size: number;
                    /** @description SHA-256 of the delivered bytes. Lower-case hexadecimal. */
                    sha256: string;
                    /** @description Width in pixels. */
                    width: number;
                    /** @description Height in pixels. */
                    height: number;
                };
            };
        };
        /** @description An image of the waveform. */
        WaveformImageData: {
            /** @description Width in pixels. */
            width: number;
            /** @description Height in pixels. */
            height: number;
            /** @description Number of bars. */
            num_bars: number;
            /** @description Color of the bars. Hexadecimal, such as `#5b5bd6`. */
            color: string;
            /** @description Color of the background. Hexadecimal, such as `#5b5bd6`. Null is transparent. */
            background_color: string | null;
        };
        /** @description A video of the waveform with sound. */
        WaveformVideoData: {
            /** @description Width in pixels. */
            width: number;
            /** @description Height in pixels. */
            height: number;
            /** @description Frames per second. */
            fps: number;
            /** @description Duration in seconds. */
            duration: number;
        };
        /** @description An uploaded recording and the files that were generated from it. */
        Track: {
            /**
             * Format: uuid
             * @description ID of the track. UUID.
             */
            id: string;
            /**
             * Format: uuid
             * @description ID of the organization that it belongs to.
             */
            organization_id: string;
            /**
             * Format: uuid
             * @description ID of the collection that it belongs to.
             */
            collection_id: string;
            /**
             * Format: uuid
             * @description ID of the creator that it belongs to. Null when it belongs to none.
             */
            creator_id: string | null;
            /** @description Short URL-safe identifier, unique in the organization. */
            index: string;
            /** @description Position in the collection, starting at 0. Lists of a collection are in this order. It has gaps after deletions, and a track that was moved past more than 200 others may have the position of its neighbour. */
            order: number;
            /** @description Machine-readable reason for a failed track, or for one that is ready without files. Null without such a reason. */
            status_code: string | null;
            /** @description The reason as a sentence. Null without one. */
            status_text: string | null;
            /** @description File name in characters that are safe in headers and file systems. */
            file_name: string;
            /** @description File name as the client sent it. Null when unknown. */
            file_name_original: string | null;
            /** @description Properties of the uploaded recording. Null until probed. */
            info: components["schemas"]["TrackInfo"] | null;
            /** @description Measurements of the decoded recording. Null until measured. */
            analysis: components["schemas"]["TrackAnalysis"] | null;
            /** @description The client's own identifier. Not unique. 0 to 255 characters. Null when not set. */
            organization_index: string | null;
            /** @description Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep. */
            metadata: {
                [key: string]: unknown;
            };
            /** @description Title, shown to listeners. 0 to 1,024 characters. Null when not set. */
            player_title: string | null;
            /** @description Subtitle of players, shown below the title. 0 to 1,024 characters. Null when not set. */
            player_subtitle: string | null;
            /** @description Color of players. Hexadecimal, such as `#5b5bd6`. Null inherits the collection's. */
            player_color: string | null;
            /** @description Colors of the cover, largest area first. At most 64. The colors of an uploaded cover replace a theme that was set; processing and rebuilding a recording do not. */
            theme: components["schemas"]["CoverColor"][];
            /** @description Transcription of the recording. 0 to 524,288 characters. Null when not set. */
            transcription: string | null;
            /** @description Language of the transcription as a BCP 47 tag. 0 to 35 characters. Null when not set. */
            transcription_language: string | null;
            /** @description Path of its files, without variant index and extension. */
            base_path: string;
            /**
             * Format: date-time
             * @description Time at which processing finished. Null until processed.
             */
            files_completed_at: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
            /** @description The player color, made legible on light backgrounds. Hexadecimal, such as `#5b5bd6`. Null without a player color. */
            player_color_light: string | null;
            /** @description The player color, made legible on dark backgrounds. Hexadecimal, such as `#5b5bd6`. Null without a player color. */
            player_color_dark: string | null;
            /** @description Duration in seconds. Null until probed. */
            duration: number | null;
            /**
             * Format: uri
             * @description Base of the delivery addresses. Those of files continue with `_{variant index}.{ext}`.
             */
            base_url: string;
            /**
             * @description State of the upload and the processing.
             * @enum {string}
             */
            track_status_id: "initialized" | "processing" | "fallback_processing" | "ready" | "incomplete" | "error" | "init_error";
        };
        /** @description The file that one variant generated from a track. */
        TrackFile: {
            /**
             * Format: uuid
             * @description ID of the file. UUID.
             */
            id: string;
            /** @description Path of the delivery address. Null until processed. */
            path: string | null;
            /** @description Content type of the delivery. Null until processed. */
            content_type: string | null;
            /** @description File name of a download. Null until processed. */
            file_name: string | null;
            /** @description Whether it is delivered without a signature. */
            is_public: boolean;
            /** @description Machine-readable reason why the file failed, or why a finished file differs from the parameters of its variant. Null without such a reason. */
            status_code: string | null;
            /** @description The reason as a sentence. Null without one. */
            status_text: string | null;
            /**
             * Format: uri
             * @description Signed delivery address. Valid for an hour. Null until processed.
             */
            url: string | null;
            /** @description Bytes. Null until processed. */
            size: number | null;
            /** @description Whether it is finished and can be delivered. */
            is_success: boolean;
            /** @description Results in addition to the bytes, by the type of the variant. Null for a transcode and the original. */
            data: (components["schemas"]["PreviewData"] | components["schemas"]["LevelsData"] | components["schemas"]["CoverData"] | components["schemas"]["WaveformImageData"] | components["schemas"]["WaveformVideoData"]) | null;
            /** @description Parameters that it was generated with, which may differ from those of the variant. */
            props: {
                /** @description Codec of the sound. */
                codec?: string;
                /** @description kbps. Null when the recording does not contain it. */
                bitrate?: number | null;
                /** @description Sample rate in Hz. */
                sample_rate?: number;
                /** @description Number of channels. */
                channels?: number;
                /** @description kbps of the file, without tags and cover. */
                measured_bitrate?: number;
                /** @description Start in the recording, of a transcode without silence. */
                capture_start?: number;
                /** @description End in the recording, of a transcode without silence. */
                capture_end?: number;
                /** @description Measured loudness of the file in LUFS. Only of files with `normalize` or `is_measured`, and sound. */
                integrated_lufs?: number;
                /** @description Measured true peak of the file in dBTP. Only of files with `normalize` or `is_measured`, and sound. */
                true_peak_dbtp?: number;
            } & {
                [key: string]: unknown;
            };
            variant: {
                /**
                 * Format: uuid
                 * @description ID of the variant.
                 */
                id: string;
                /** @description Index of the variant. */
                index: string;
                variant_type: {
                    /**
                     * @description Type of the variant. It never changes.
                     * @enum {string}
                     */
                    id: "transcode" | "preview" | "levels" | "waveform_image" | "waveform_video" | "original" | "cover";
                    /** @description Name of the type. */
                    title: string;
                    /** @description Widget that shows the file. */
                    viewer_id: string;
                };
            };
        };
        UpdateTrack: {
            /** @description The client's own identifier. Not unique. 0 to 255 characters. Null when not set. */
            organization_index?: string | null;
            /** @description Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description Title, shown to listeners. 0 to 1,024 characters. Null when not set. */
            player_title?: string | null;
            /** @description Subtitle of players, shown below the title. 0 to 1,024 characters. Null when not set. */
            player_subtitle?: string | null;
            /** @description Color of players. Hexadecimal, such as `#5b5bd6`. Null inherits the collection's. */
            player_color?: string | null;
            /** @description Colors of the cover, largest area first. At most 64. The colors of an uploaded cover replace a theme that was set; processing and rebuilding a recording do not. */
            theme?: components["schemas"]["SetCoverColor"][];
            /** @description Transcription of the recording. 0 to 524,288 characters. Null when not set. */
            transcription?: string | null;
            /** @description Language of the transcription as a BCP 47 tag. 0 to 35 characters. Null when not set. */
            transcription_language?: string | null;
        };
        /** @description Lets listeners play one collection or one track. Its ID is the credential. */
        PlaySession: {
            /**
             * Format: uuid
             * @description ID of the session. A random UUID, and the credential of listeners.
             */
            id: string;
            /**
             * Format: uuid
             * @description ID of the creator of the collection or track. Null without a creator.
             */
            creator_id: string | null;
            /** @description The client's own identifier. Null when not set. */
            organization_index: string | null;
            /** @description Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep. */
            metadata: {
                [key: string]: unknown;
            };
            /** @description Whether its files may be downloaded. */
            is_downloadable: boolean;
            /**
             * Format: date-time
             * @description End of the session.
             */
            expires_at: string;
            /** @description Indexes of the variants that it plays, in this order. Empty for all that play. */
            variants: string[];
        };
        /** @description A track of a play session, without its transcription. */
        ListedPlayTrack: {
            /**
             * Format: uuid
             * @description ID of the track. UUID.
             */
            id: string;
            /**
             * Format: uuid
             * @description ID of the organization that it belongs to.
             */
            organization_id: string;
            /**
             * Format: uuid
             * @description ID of the collection that it belongs to.
             */
            collection_id: string;
            /**
             * Format: uuid
             * @description ID of the creator that it belongs to. Null when it belongs to none.
             */
            creator_id: string | null;
            /** @description Short URL-safe identifier, unique in the organization. */
            index: string;
            /** @description Position in the collection, starting at 0. Lists of a collection are in this order. It has gaps after deletions, and a track that was moved past more than 200 others may have the position of its neighbour. */
            order: number;
            /** @description Machine-readable reason for a failed track, or for one that is ready without files. Null without such a reason. */
            status_code: string | null;
            /** @description The reason as a sentence. Null without one. */
            status_text: string | null;
            /** @description File name in characters that are safe in headers and file systems. */
            file_name: string;
            /** @description File name as the client sent it. Null when unknown. */
            file_name_original: string | null;
            /** @description Properties of the uploaded recording. Null until probed. */
            info: components["schemas"]["TrackInfo"] | null;
            /** @description Measurements of the decoded recording. Null until measured. */
            analysis: components["schemas"]["TrackAnalysis"] | null;
            /** @description The client's own identifier. Not unique. 0 to 255 characters. Null when not set. */
            organization_index: string | null;
            /** @description Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep. */
            metadata: {
                [key: string]: unknown;
            };
            /** @description The title of the track, else the title tag of the recording, else the file name. */
            player_title: string;
            /** @description The subtitle of the track, else the artist tag, else the subtitle of the collection, else empty. */
            player_subtitle: string;
            /** @description The player color of the track, else of the collection, else of the organization. Hexadecimal, such as `#5b5bd6`. */
            player_color: string;
            /** @description Colors of the cover, largest area first. At most 64. The colors of an uploaded cover replace a theme that was set; processing and rebuilding a recording do not. */
            theme: components["schemas"]["CoverColor"][];
            /** @description Language of the transcription as a BCP 47 tag. 0 to 35 characters. Null when not set. */
            transcription_language: string | null;
            /** @description Path of its files, without variant index and extension. */
            base_path: string;
            /**
             * Format: date-time
             * @description Time at which processing finished. Null until processed.
             */
            files_completed_at: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
            /** @description The player color, darkened to be legible on light backgrounds. Hexadecimal, such as `#5b5bd6`. */
            player_color_light: string;
            /** @description The player color, lightened to be legible on dark backgrounds. Hexadecimal, such as `#5b5bd6`. */
            player_color_dark: string;
            /** @description Duration in seconds. Null until probed. */
            duration: number | null;
            /**
             * Format: uri
             * @description Base of the delivery addresses. Those of files continue with `_{variant index}.{ext}`.
             */
            base_url: string;
            /**
             * @description State of the upload and the processing.
             * @enum {string}
             */
            track_status_id: "initialized" | "processing" | "fallback_processing" | "ready" | "incomplete" | "error" | "init_error";
        };
        /** @description The first track that plays. Null when no track plays. */
        FirstTrack: {
            /**
             * Format: uuid
             * @description ID of the track.
             */
            track_id: string;
            track: components["schemas"]["PlayTrack"];
            /** @description Loudness over time, for drawing. Null until processed. */
            levels: components["schemas"]["LevelsData"] | null;
            /** @description Finished files that play, in the order of the session. By default whole recordings are first. */
            variants: components["schemas"]["TrackFile"][];
            /** @description The cover of the track, else of the collection, else of the organization. Null without a cover. */
            cover_image: components["schemas"]["CoverImage"] | null;
        };
        /** @description A track with its effective player values. */
        PlayTrack: {
            /**
             * Format: uuid
             * @description ID of the track. UUID.
             */
            id: string;
            /**
             * Format: uuid
             * @description ID of the organization that it belongs to.
             */
            organization_id: string;
            /**
             * Format: uuid
             * @description ID of the collection that it belongs to.
             */
            collection_id: string;
            /**
             * Format: uuid
             * @description ID of the creator that it belongs to. Null when it belongs to none.
             */
            creator_id: string | null;
            /** @description Short URL-safe identifier, unique in the organization. */
            index: string;
            /** @description Position in the collection, starting at 0. Lists of a collection are in this order. It has gaps after deletions, and a track that was moved past more than 200 others may have the position of its neighbour. */
            order: number;
            /** @description Machine-readable reason for a failed track, or for one that is ready without files. Null without such a reason. */
            status_code: string | null;
            /** @description The reason as a sentence. Null without one. */
            status_text: string | null;
            /** @description File name in characters that are safe in headers and file systems. */
            file_name: string;
            /** @description File name as the client sent it. Null when unknown. */
            file_name_original: string | null;
            /** @description Properties of the uploaded recording. Null until probed. */
            info: components["schemas"]["TrackInfo"] | null;
            /** @description Measurements of the decoded recording. Null until measured. */
            analysis: components["schemas"]["TrackAnalysis"] | null;
            /** @description The client's own identifier. Not unique. 0 to 255 characters. Null when not set. */
            organization_index: string | null;
            /** @description Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep. */
            metadata: {
                [key: string]: unknown;
            };
            /** @description The title of the track, else the title tag of the recording, else the file name. */
            player_title: string;
            /** @description The subtitle of the track, else the artist tag, else the subtitle of the collection, else empty. */
            player_subtitle: string;
            /** @description The player color of the track, else of the collection, else of the organization. Hexadecimal, such as `#5b5bd6`. */
            player_color: string;
            /** @description Colors of the cover, largest area first. At most 64. The colors of an uploaded cover replace a theme that was set; processing and rebuilding a recording do not. */
            theme: components["schemas"]["CoverColor"][];
            /** @description Transcription of the recording. 0 to 524,288 characters. Null when not set. */
            transcription: string | null;
            /** @description Language of the transcription as a BCP 47 tag. 0 to 35 characters. Null when not set. */
            transcription_language: string | null;
            /** @description Path of its files, without variant index and extension. */
            base_path: string;
            /**
             * Format: date-time
             * @description Time at which processing finished. Null until processed.
             */
            files_completed_at: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
            /** @description The player color, darkened to be legible on light backgrounds. Hexadecimal, such as `#5b5bd6`. */
            player_color_light: string;
            /** @description The player color, lightened to be legible on dark backgrounds. Hexadecimal, such as `#5b5bd6`. */
            player_color_dark: string;
            /** @description Duration in seconds. Null until probed. */
            duration: number | null;
            /**
             * Format: uri
             * @description Base of the delivery addresses. Those of files continue with `_{variant index}.{ext}`.
             */
            base_url: string;
            /**
             * @description State of the upload and the processing.
             * @enum {string}
             */
            track_status_id: "initialized" | "processing" | "fallback_processing" | "ready" | "incomplete" | "error" | "init_error";
        };
        /** @description The cover that applies: its own or an inherited one. */
        CoverImage: {
            icon: {
                /**
                 * Format: uri
                 * @description Signed delivery address. Valid for an hour.
                 */
                url: string;
                /** @description Pixels. */
                width: number;
                /** @description Pixels. */
                height: number;
                /** @description Content type. */
                type: string;
                /** @description The same image as WebP. Null for the WebP image itself and for covers stored without one. */
                webp: {
                    /**
                     * Format: uri
                     * @description Signed delivery address. Valid for an hour.
                     */
                    url: string;
                    /** @description Pixels. */
                    width: number;
                    /** @description Pixels. */
                    height: number;
                    /** @description Content type. */
                    type: string;
                } | null;
            };
            small: {
                /**
                 * Format: uri
                 * @description Signed delivery address. Valid for an hour.
                 */
                url: string;
                /** @description Pixels. */
                width: number;
                /** @description Pixels. */
                height: number;
                /** @description Content type. */
                type: string;
                /** @description The same image as WebP. Null for the WebP image itself and for covers stored without one. */
                webp: {
                    /**
                     * Format: uri
                     * @description Signed delivery address. Valid for an hour.
                     */
                    url: string;
                    /** @description Pixels. */
                    width: number;
                    /** @description Pixels. */
                    height: number;
                    /** @description Content type. */
                    type: string;
                } | null;
            };
            regular: {
                /**
                 * Format: uri
                 * @description Signed delivery address. Valid for an hour.
                 */
                url: string;
                /** @description Pixels. */
                width: number;
                /** @description Pixels. */
                height: number;
                /** @description Content type. */
                type: string;
                /** @description The same image as WebP. Null for the WebP image itself and for covers stored without one. */
                webp: {
                    /**
                     * Format: uri
                     * @description Signed delivery address. Valid for an hour.
                     */
                    url: string;
                    /** @description Pixels. */
                    width: number;
                    /** @description Pixels. */
                    height: number;
                    /** @description Content type. */
                    type: string;
                } | null;
            };
            large: {
                /**
                 * Format: uri
                 * @description Signed delivery address. Valid for an hour.
                 */
                url: string;
                /** @description Pixels. */
                width: number;
                /** @description Pixels. */
                height: number;
                /** @description Content type. */
                type: string;
                /** @description The same image as WebP. Null for the WebP image itself and for covers stored without one. */
                webp: {
                    /**
                     * Format: uri
                     * @description Signed delivery address. Valid for an hour.
                     */
                    url: string;
                    /** @description Pixels. */
                    width: number;
                    /** @description Pixels. */
                    height: number;
                    /** @description Content type. */
                    type: string;
                } | null;
            };
        };
        CreatePlaySession: {
            /**
             * Format: uuid
             * @description ID of the collection to play. Defaults to the collection of the key.
             */
            collection_id?: string | null;
            /**
             * Format: uuid
             * @description ID of the track to play. Defaults to the track of the key.
             */
            track_id?: string | null;
            /**
             * @description Indexes or IDs of variants, in the order to play. At most 50. Defaults to all that play.
             * @default []
             */
            variants?: string[] | null;
            /**
             * @description Whether its files may be downloaded. Defaults to false.
             * @default false
             */
            is_downloadable?: boolean | null;
            /** @description The client's own identifier. At most 255 characters. */
            organization_index?: string | null;
            /**
             * @description Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep.
             * @default {}
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Lifetime in seconds. 60 to 86,400. Defaults to 3,600.
             * @default 3600
             */
            expires_in?: number | null;
        };
        /** @description For uploading several tracks to one collection. Its ID is the credential. */
        UploadSession: {
            /**
             * Format: uuid
             * @description ID of the session. A random UUID: it is the credential for uploads.
             */
            id: string;
            /**
             * Format: uuid
             * @description ID of the creator that its tracks belong to. Null without a creator.
             */
            creator_id: string | null;
            /**
             * Format: uuid
             * @description ID of the collection that its tracks are created in.
             */
            collection_id: string;
            /** @description The client's own identifier. Null when not set. */
            organization_index: string | null;
            /** @description Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep. */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description Time after which no track can be created.
             */
            expires_at: string;
        };
        /** @description A new track. */
        TrackHandle: {
            /**
             * Format: uuid
             * @description ID of the track.
             */
            id: string;
            /** @description Short, URL-safe ID. Unique in the organization. */
            index: string;
            /** @description Path of its files in the storage. */
            path: string;
            /**
             * Format: uri
             * @description Signed URL that takes the recording, as in `track_upload`.
             */
            upload_url: string;
        };
        /**
         * @description Takes the recording as a raw body with any content type.
         *
         *     An address of the service answers with `ETag` and `x-checksum-sha256`. It refuses an empty body and another size than
         *     `file_size` with 400 `invalid_input`, a body above the limit with 413 `too_large`, a second upload with 409
         *     `upload_completed`, an expired address with 410 `expired` and a wrong signature with 403 `forbidden`.
         *
         *     With `STORAGE=s3` it is a presigned address of the bucket, which answers in its own form (XML) and cannot apply these
         *     rules:
         *
         *     - A second PUT before the upload is accepted replaces the object. Later ones are answered 200 and have no effect.
         *     - There is no `x-checksum-sha256`, and `ETag` is that of the bucket.
         *     - Sizes are checked after the upload: the track becomes `init_error` with `empty`, `too_large` or
         *       `upload_size_mismatch`.
         *     - An expired address, or a wrong signature, is 403.
         *     - A bucket may require `Content-Length`.
         */
        TrackUpload: {
            /** @constant */
            method: "PUT";
            /**
             * Format: uri
             * @description Signed URL for one upload.
             */
            upload_url: string;
            /** @description Seconds in which the upload may begin. */
            ttl: number;
            /**
             * Format: date-time
             * @description Time before which the upload must begin.
             */
            expires_at: string;
        };
        CreateUploadSession: {
            /**
             * Format: uuid
             * @description ID of the collection that its tracks are created in. Implied by a key with the scope of a collection.
             */
            collection_id?: string | null;
            /**
             * Format: uuid
             * @description ID of the creator that its tracks belong to. Defaults to the creator of the collection.
             */
            creator_id?: string | null;
            /** @description Your own identifier. */
            organization_index?: string | null;
            /**
             * @description Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep.
             * @default {}
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Seconds until the session expires. 60 to 86,400. Defaults to 3,600.
             * @default 3600
             */
            expires_in?: number | null;
            /** @description A first track to create in the session. */
            track?: components["schemas"]["CreateUploadTrack"] | null;
        };
        CreateUploadTrack: {
            /** @description Original filename. */
            file_name: string;
            /** @description Bytes of the recording. An upload of another size is refused, or ends the track if it was sent to a bucket. */
            file_size?: number | null;
            /** @description The client's own identifier. Not unique. 0 to 255 characters. Null when not set. */
            organization_index?: string | null;
            /**
             * @description Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep.
             * @default {}
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Title, shown to listeners. 0 to 1,024 characters. Null when not set. */
            player_title?: string | null;
            /** @description Subtitle of players, shown below the title. 0 to 1,024 characters. Null when not set. */
            player_subtitle?: string | null;
            /** @description Color of players. Hexadecimal, such as `#5b5bd6`. Null inherits the collection's. */
            player_color?: string | null;
        };
        /** @description A new track, and the URL that takes its recording. */
        NewTrack: {
            /**
             * Format: uuid
             * @description ID of the track.
             */
            id: string;
            /**
             * Format: uuid
             * @description ID of the organization that it belongs to.
             */
            organization_id: string;
            /**
             * Format: uuid
             * @description ID of the collection that it belongs to.
             */
            collection_id: string;
            /**
             * Format: uuid
             * @description ID of the creator that it belongs to. Null when it belongs to none.
             */
            creator_id: string | null;
            /** @description Short, URL-safe ID. Unique in the organization. */
            index: string;
            /** @description Position in the collection, starting at 0. Lists of a collection are in this order. It has gaps after deletions, and a track that was moved past more than 200 others may have the position of its neighbour. */
            order: number;
            /** @description Machine-readable reason for a failed track, or for one that is ready without files. Null without such a reason. */
            status_code: string | null;
            /** @description The reason as a sentence. Null without one. */
            status_text: string | null;
            /** @description File name in characters that are safe in headers and file systems. */
            file_name: string;
            /** @description File name as the client sent it. Null when unknown. */
            file_name_original: string | null;
            /** @description Properties of the uploaded recording. Null until probed. */
            info: components["schemas"]["TrackInfo"] | null;
            /** @description Measurements of the decoded recording. Null until measured. */
            analysis: components["schemas"]["TrackAnalysis"] | null;
            /** @description The client's own identifier. Not unique. 0 to 255 characters. Null when not set. */
            organization_index: string | null;
            /** @description Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep. */
            metadata: {
                [key: string]: unknown;
            };
            /** @description Title, shown to listeners. 0 to 1,024 characters. Null when not set. */
            player_title: string | null;
            /** @description Subtitle of players, shown below the title. 0 to 1,024 characters. Null when not set. */
            player_subtitle: string | null;
            /** @description Color of players. Hexadecimal, such as `#5b5bd6`. Null inherits the collection's. */
            player_color: string | null;
            /** @description Colors of the cover, largest area first. At most 64. The colors of an uploaded cover replace a theme that was set; processing and rebuilding a recording do not. */
            theme: components["schemas"]["CoverColor"][];
            /** @description Transcription of the recording. 0 to 524,288 characters. Null when not set. */
            transcription: string | null;
            /** @description Language of the transcription as a BCP 47 tag. 0 to 35 characters. Null when not set. */
            transcription_language: string | null;
            /** @description Path of its files, without variant index and extension. */
            base_path: string;
            /**
             * Format: date-time
             * @description Time at which processing finished. Null until processed.
             */
            files_completed_at: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
            /** @description The player color, made legible on light backgrounds. Hexadecimal, such as `#5b5bd6`. Null without a player color. */
            player_color_light: string | null;
            /** @description The player color, made legible on dark backgrounds. Hexadecimal, such as `#5b5bd6`. Null without a player color. */
            player_color_dark: string | null;
            /** @description Duration in seconds. Null until probed. */
            duration: number | null;
            /**
             * Format: uri
             * @description Base of the delivery addresses. Those of files continue with `_{variant index}.{ext}`.
             */
            base_url: string;
            /**
             * @description State of the upload and the processing.
             * @enum {string}
             */
            track_status_id: "initialized" | "processing" | "fallback_processing" | "ready" | "incomplete" | "error" | "init_error";
            /** @description Path of its files in the storage. */
            path: string;
            /**
             * Format: uri
             * @description Signed URL that takes the recording, as in `track_upload`.
             */
            upload_url: string;
        };
        CreateTrack: {
            /** @description Original filename. With `source_url`, defaults to the name that the address or its server gives. */
            file_name?: string | null;
            /** @description Bytes of the recording. An upload of another size is refused, or ends the track if it was sent to a bucket. */
            file_size?: number | null;
            /** @description The client's own identifier. Not unique. 0 to 255 characters. Null when not set. */
            organization_index?: string | null;
            /**
             * @description Your own JSON object, stored unchanged. At most 65536 bytes, 32 levels deep.
             * @default {}
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Title, shown to listeners. 0 to 1,024 characters. Null when not set. */
            player_title?: string | null;
            /** @description Subtitle of players, shown below the title. 0 to 1,024 characters. Null when not set. */
            player_subtitle?: string | null;
            /** @description Color of players. Hexadecimal, such as `#5b5bd6`. Null inherits the collection's. */
            player_color?: string | null;
            /**
             * Format: uuid
             * @description ID of the collection that it belongs to. A key that is scoped to a collection implies it.
             */
            collection_id?: string | null;
            /**
             * Format: uuid
             * @description ID of the creator that it belongs to. Defaults to the collection's.
             */
            creator_id?: string | null;
            /** @description Address that the service downloads the recording from, instead of an upload. */
            source_url?: string | null;
        };
        /** @description A recipe for a file of a single track. */
        TrackVariant: {
            /**
             * Format: uuid
             * @description ID of the variant. UUID.
             */
            id: string;
            /**
             * Format: uuid
             * @description ID of the organization that it belongs to.
             */
            organization_id: string;
            /** @description Delivery name. 2 to 64 letters, digits, `_` or `-`. */
            index: string;
            /**
             * @description Type of the variant. It never changes.
             * @enum {string}
             */
            variant_type_id: "transcode" | "preview" | "levels" | "waveform_image" | "waveform_video" | "original" | "cover";
            /** @description Parameters with all defaults, by the type of the variant. */
            props: components["schemas"]["VariantProps"];
            /**
             * Format: uuid
             * @description ID of the track that it belongs to.
             */
            track_id: string;
        };
        AddTrackVariant: {
            /** @constant */
            variant_type_id: "transcode";
            /** @description Delivery name. 2 to 64 letters, digits, `_` or `-`. */
            index: string;
            /**
             * @description Codec of the file. `aac`, `mp3`, `ogg`, or `opus`. Defaults to `aac`.
             * @default aac
             * @enum {string}
             */
            codec?: "aac" | "mp3" | "ogg" | "opus";
            /**
             * @description Bit rate in kbps. 12 to 320. Defaults to 128.
             * @default 128
             */
            bitrate?: number;
            /**
             * @description Stereo. False mixes down to mono. Defaults to `true`.
             * @default true
             */
            is_stereo?: boolean;
            /**
             * @description Whether to remove the tags of the recording. Defaults to `true`.
             * @default true
             */
            is_strip_tags?: boolean;
            /**
             * @description Whether to remove the embedded cover. Defaults to `true`.
             * @default true
             */
            is_strip_cover?: boolean;
            /** @description Integrated loudness of the file in LUFS, that of the recording by default. -40 to -5. */
            normalize?: number;
        } | ({
            /** @constant */
            variant_type_id: "preview";
            /** @description Delivery name. 2 to 64 letters, digits, `_` or `-`. */
            index: string;
            /**
             * @description Unit of the length of the clip. `seconds` or `percent`. Defaults to `seconds`.
             * @default seconds
             * @constant
             */
            preview_type?: "seconds";
            /**
             * @description Length in seconds. At least 0. Defaults to 60.
             * @default 60
             */
            preview_seconds?: number;
            /**
             * @description Minimum length in percent of the recording. 0 to 100. Defaults to 0.
             * @default 0
             */
            preview_min_percent?: number;
            /**
             * @description Maximum length in percent of the recording. 0 to 100. Defaults to 50.
             * @default 50
             */
            preview_max_percent?: number;
            /**
             * @description Start of the clip in percent of the recording. 0 to 100. Defaults to 25.
             * @default 25
             */
            preview_start_percent?: number;
            /**
             * @description Codec of the file. `aac`, `mp3`, `ogg`, or `opus`. Defaults to `aac`.
             * @default aac
             * @enum {string}
             */
            codec?: "aac" | "mp3" | "ogg" | "opus";
            /**
             * @description Bit rate in kbps. 12 to 320. Defaults to 128.
             * @default 128
             */
            bitrate?: number;
            /**
             * @description Stereo. False mixes down to mono. Defaults to `true`.
             * @default true
             */
            is_stereo?: boolean;
            /**
             * @description Whether to remove the tags of the recording. Defaults to `true`.
             * @default true
             */
            is_strip_tags?: boolean;
            /**
             * @description Whether to remove the embedded cover. Defaults to `true`.
             * @default true
             */
            is_strip_cover?: boolean;
            /** @description Integrated loudness of the file in LUFS, that of the recording by default. -40 to -5. */
            normalize?: number;
        } | {
            /** @constant */
            variant_type_id: "preview";
            /** @description Delivery name. 2 to 64 letters, digits, `_` or `-`. */
            index: string;
            /**
             * @description Unit of the length of the clip. `seconds` or `percent`. Defaults to `seconds`.
             * @constant
             */
            preview_type: "percent";
            /**
             * @description Length in percent of the recording. 0 to 100. Defaults to 25.
             * @default 25
             */
            preview_percent?: number;
            /**
             * @description Minimum length in seconds. At least 0. Defaults to 0.
             * @default 0
             */
            preview_min_seconds?: number;
            /**
             * @description Maximum length in seconds. At least 0. Defaults to 90.
             * @default 90
             */
            preview_max_seconds?: number;
            /**
             * @description Start of the clip in percent of the recording. 0 to 100. Defaults to 25.
             * @default 25
             */
            preview_start_percent?: number;
            /**
             * @description Codec of the file. `aac`, `mp3`, `ogg`, or `opus`. Defaults to `aac`.
             * @default aac
             * @enum {string}
             */
            codec?: "aac" | "mp3" | "ogg" | "opus";
            /**
             * @description Bit rate in kbps. 12 to 320. Defaults to 128.
             * @default 128
             */
            bitrate?: number;
            /**
             * @description Stereo. False mixes down to mono. Defaults to `true`.
             * @default true
             */
            is_stereo?: boolean;
            /**
             * @description Whether to remove the tags of the recording. Defaults to `true`.
             * @default true
             */
            is_strip_tags?: boolean;
            /**
             * @description Whether to remove the embedded cover. Defaults to `true`.
             * @default true
             */
            is_strip_cover?: boolean;
            /** @description Integrated loudness of the file in LUFS, that of the recording by default. -40 to -5. */
            normalize?: number;
        });
        RebuildTrack: {
            /** @description IDs of the variants whose files to rebuild. 1 to 500. Defaults to all. */
            variant_ids?: string[] | null;
            /**
             * @description Whether to leave out missing and failed files, and files that match their variant. Defaults to false.
             * @default false
             */
            is_only_stale?: boolean;
        };
        /** @description Play requests of one combination of groups. The records may have been deleted since. */
        Usage: {
            /** @description Day in UTC, `YYYY-MM-DD`. Null when not grouped by day. */
            day: string | null;
            /**
             * Format: uuid
             * @description ID of the creator. Null when not grouped by creator, and for records without a creator.
             */
            creator_id: string | null;
            /**
             * Format: uuid
             * @description ID of the collection. Null when not grouped by collection.
             */
            collection_id: string | null;
            /**
             * Format: uuid
             * @description ID of the track. Null when not grouped by track.
             */
            track_id: string | null;
            /**
             * Format: uuid
             * @description ID of the key. Null when not grouped by key.
             */
            key_id: string | null;
            /**
             * Format: uuid
             * @description ID of the variant. Null when not grouped by variant.
             */
            variant_id: string | null;
            /** @description Play requests: answers of the stream endpoint with a file. The billed figure. A whole number. */
            requests: number;
            /** @description Listens: the first play request of a listener and a file in 24 hours, without bots, prefetches and requests for a few bytes. A whole number. */
            listens: number;
        };
        /** @description Bytes in storage, of undeleted tracks. */
        StorageUsage: {
            /**
             * Format: uuid
             * @description ID of the creator. Null when not grouped by creator, and for records without a creator.
             */
            creator_id: string | null;
            /**
             * Format: uuid
             * @description ID of the collection. Null when not grouped by collection.
             */
            collection_id: string | null;
            /** @description Bytes of uploaded recordings. A whole number. */
            source_bytes: number;
            /** @description Bytes of finished files, without sibling files such as the sizes of a cover. A whole number. */
            file_bytes: number;
        };
        /** @description Processing time of jobs that made files. */
        ProcessingUsage: {
            /** @description Day in UTC, `YYYY-MM-DD`. Null when not grouped by day. */
            day: string | null;
            /**
             * Format: uuid
             * @description ID of the creator. Null when not grouped by creator, and for records without a creator.
             */
            creator_id: string | null;
            /**
             * Format: uuid
             * @description ID of the collection. Null when not grouped by collection, and for jobs without a collection.
             */
            collection_id: string | null;
            /**
             * Format: uuid
             * @description ID of the track. Null when not grouped by track, for jobs without a track, and for days before PLAYS_KEPT_MONTHS.
             */
            track_id: string | null;
            /** @description Jobs that succeeded. A whole number. */
            jobs: number;
            /** @description Seconds from the start of the last attempt of each job to its end. */
            seconds: number;
        };
        Accepted: {
            /** @constant */
            ok: true;
            /** @description Received bytes. */
            size: number;
            /** @description SHA-256 of the bytes, lower-case hexadecimal. */
            sha256: string;
        };
    };
    responses: {
        /** @description A field violates a rule. The message names the field. */
        InvalidInput: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "invalid_input";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 400;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "invalid_input";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /** @description The key is missing, malformed, unknown, revoked or expired. */
        Unauthenticated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "unauthenticated";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 401;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "unauthenticated";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /** @description The key is valid, but its kind or scope does not allow the operation. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "forbidden";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 403;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "forbidden";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /** @description The record does not exist, or belongs to another organization. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "not_found";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 404;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "not_found";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /** @description The first request with this Idempotency-Key is still running. */
        IdempotencyConflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "idempotency_conflict";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 409;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "idempotency_conflict";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /** @description The body is too large. */
        TooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "too_large";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 413;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "too_large";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /** @description The body is not application/json. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "unsupported_media_type";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 415;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "unsupported_media_type";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /** @description The Idempotency-Key was used with another payload. */
        IdempotencyMismatch: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "idempotency_mismatch";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 422;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "idempotency_mismatch";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /** @description Too many requests per minute. */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "rate_limited";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 429;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "rate_limited";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /** @description An error of the service. */
        Internal: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "internal";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 500;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "internal";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /** @description The service cannot reach its database or storage. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "unavailable";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 503;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "unavailable";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /** @description The service took too long. */
        Timeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "timeout";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 504;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "timeout";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /**
         * @description `idempotency_conflict`: The first request with this Idempotency-Key is still running.
         *     `organization_index_taken`: Another creator has this index.
         */
        IdempotencyConflictOrOrganizationIndexTaken: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "idempotency_conflict" | "organization_index_taken";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 409;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "idempotency_conflict" | "organization_index_taken";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /** @description Another creator has this index. */
        OrganizationIndexTaken: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "organization_index_taken";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 409;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "organization_index_taken";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /** @description The creator still has collections or tracks. */
        CreatorInUse: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "creator_in_use";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 409;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "creator_in_use";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /** @description The address or session has expired. */
        Expired: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "expired";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 410;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "expired";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /**
         * @description `idempotency_conflict`: The first request with this Idempotency-Key is still running.
         *     `index_taken`: Another variant has this index.
         *     `track_processing`: The track is being processed.
         */
        IdempotencyConflictOrIndexTakenOrTrackProcessing: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "idempotency_conflict" | "index_taken" | "track_processing";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 409;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "idempotency_conflict" | "index_taken" | "track_processing";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /**
         * @description `idempotency_mismatch`: The Idempotency-Key was used with another payload.
         *     `no_source_file`: The track has no recording.
         */
        IdempotencyMismatchOrNoSourceFile: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "idempotency_mismatch" | "no_source_file";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 422;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "idempotency_mismatch" | "no_source_file";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /**
         * @description `idempotency_conflict`: The first request with this Idempotency-Key is still running.
         *     `track_processing`: The track is being processed.
         */
        IdempotencyConflictOrTrackProcessing: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "idempotency_conflict" | "track_processing";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 409;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "idempotency_conflict" | "track_processing";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /**
         * @description `upload_completed`: The upload has already been completed.
         *     `source_url_given`: The recording of the track is downloaded from its source_url.
         */
        UploadCompletedOrSourceUrlGiven: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "upload_completed" | "source_url_given";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 409;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "upload_completed" | "source_url_given";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /** @description Another request is uploading to the address. */
        UploadInUse: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "upload_in_use";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 423;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "upload_in_use";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /**
         * @description `upload_completed`: The upload has already been completed.
         *     `source_url_given`: The recording of the track is downloaded from its source_url.
         *     `upload_offset_mismatch`: The piece does not start at the end of the previous one.
         */
        UploadCompletedOrSourceUrlGivenOrUploadOffsetMismatch: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "upload_completed" | "source_url_given" | "upload_offset_mismatch";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 409;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "upload_completed" | "source_url_given" | "upload_offset_mismatch";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /** @description The service supports another version of the protocol. */
        UnsupportedProtocolVersion: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "unsupported_protocol_version";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 412;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "unsupported_protocol_version";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
        /** @description The received bytes do not match the checksum. */
        ChecksumMismatch: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "checksum_mismatch";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
                "application/problem+json": {
                    /** @constant */
                    type: "about:blank";
                    /** @description The code as words. */
                    title: string;
                    /** @constant */
                    status: 460;
                    /** @description The message. */
                    detail: string;
                    /** @constant */
                    ok: false;
                    /** @description Readable message: the field and the violated rule. */
                    message: string;
                    /**
                     * @description Stable code for programs.
                     * @enum {string}
                     */
                    code: "checksum_mismatch";
                    /**
                     * Format: uuid
                     * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                     */
                    api_request_id: string;
                };
            };
        };
    };
    parameters: {
        /** @description Makes repeating the request safe: it is executed at most once per key. 1 to 255 characters of your choice. For 24 hours, the same request with the same key gets the first answer again. */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /** @description ID of the request in the log of the service. */
        "X-Request-Id": string;
        /** @description The applicable limit, if any: `q` requests in `w` seconds. */
        "RateLimit-Policy": string;
        /** @description The remaining limit: `r` requests in the next `t` seconds. */
        RateLimit: string;
        /** @description Seconds to wait before a retry. */
        "Retry-After": number;
        /** @description `true` on the stored answer to an earlier request with the same Idempotency-Key. */
        "Idempotency-Replayed": "true";
        /** @description How to authenticate. */
        "WWW-Authenticate": "Bearer";
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes repeating the request safe: it is executed at most once per key. 1 to 255 characters of your choice. For 24 hours, the same request with the same key gets the first answer again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKey"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /** @description The key itself. Shown only once. */
                        api_key: string;
                        /**
                         * Format: uuid
                         * @description ID of the key. It is not a credential.
                         */
                        api_key_id: string;
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    followEvents: {
        parameters: {
            query?: {
                /** @description `next` of the previous answer. Defaults to the oldest event. */
                after?: string;
                /** @description Comma-separated types. Defaults to all. */
                type?: ("track.status_changed" | "track_file.created" | "track_file.failed" | "collection.created" | "collection.updated" | "collection.deleted" | "collection.restored" | "webhook.disabled" | "webhook.test")[];
                /** @description Page size. 1 to 200. Defaults to 50. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        events: components["schemas"]["Event"][];
                        /** @description Cursor for `after` of the next request, after the events that `type` leaves out. An answer without events may have another `next` than `after`: more events follow. Null until the first event. */
                        next: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the organization. Must be that of the key. */
                organization_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the organization.
                         */
                        organization_id: string;
                        organization: components["schemas"]["Organization"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    updateOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the organization. Must be that of the key. */
                organization_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateOrganization"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the organization.
                         */
                        organization_id: string;
                        organization: components["schemas"]["Organization"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    createOrganizationCover: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes repeating the request safe: it is executed at most once per key. 1 to 255 characters of your choice. For 24 hours, the same request with the same key gets the first answer again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description ID of the organization. Must be that of the key. */
                organization_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the organization.
                         */
                        organization_id: string;
                        organization: components["schemas"]["Organization"];
                        organization_cover_upload: components["schemas"]["CoverUpload"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    listCreators: {
        parameters: {
            query?: {
                /** @description Page size. 1 to 200. Defaults to 50. */
                limit?: number;
                /** @description Number of records to skip. Defaults to 0. */
                offset?: number;
                /** @description Exact match of the identifier. */
                organization_index?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /** @description Number of matching records on all pages. */
                        count: number;
                        creators: components["schemas"]["Creator"][];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    createCreator: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes repeating the request safe: it is executed at most once per key. 1 to 255 characters of your choice. For 24 hours, the same request with the same key gets the first answer again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCreator"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the creator.
                         */
                        creator_id: string;
                        creator: components["schemas"]["Creator"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["IdempotencyConflictOrOrganizationIndexTaken"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    getCreator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the creator. */
                creator_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the creator.
                         */
                        creator_id: string;
                        creator: components["schemas"]["Creator"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    updateCreator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the creator. */
                creator_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateCreator"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the creator.
                         */
                        creator_id: string;
                        creator: components["schemas"]["Creator"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["OrganizationIndexTaken"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    deleteCreator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the creator. */
                creator_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the creator.
                         */
                        creator_id: string;
                        deleted_creator: components["schemas"]["DeletedCreator"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["CreatorInUse"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    listVariants: {
        parameters: {
            query?: {
                /** @description Page size. 1 to 200. Defaults to 50. */
                limit?: number;
                /** @description Number of records to skip. Defaults to 0. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /** @description Number of matching records on all pages. */
                        count: number;
                        variants: components["schemas"]["Variant"][];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    getVariant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the variant. UUID. */
                variant_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the variant. UUID.
                         */
                        variant_id: string;
                        variant: components["schemas"]["Variant"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    listCollections: {
        parameters: {
            query?: {
                /** @description Page size. 1 to 200. Defaults to 50. */
                limit?: number;
                /** @description Number of records to skip. Defaults to 0. */
                offset?: number;
                /** @description Exact match of the identifier. */
                organization_index?: string;
                /** @description ID of the creator that they belong to. */
                creator_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /** @description Number of matching records on all pages. */
                        count: number;
                        collections: components["schemas"]["Collection"][];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    createCollection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes repeating the request safe: it is executed at most once per key. 1 to 255 characters of your choice. For 24 hours, the same request with the same key gets the first answer again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCollection"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the collection.
                         */
                        collection_id: string;
                        collection: components["schemas"]["Collection"];
                        collection_cover_upload: components["schemas"]["CoverUpload"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    getCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the collection. */
                collection_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the collection.
                         */
                        collection_id: string;
                        collection: components["schemas"]["Collection"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    updateCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the collection. */
                collection_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateCollection"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the collection.
                         */
                        collection_id: string;
                        collection: components["schemas"]["Collection"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    deleteCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the collection. */
                collection_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the collection.
                         */
                        collection_id: string;
                        deleted_collection: components["schemas"]["Collection"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    createCollectionCover: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes repeating the request safe: it is executed at most once per key. 1 to 255 characters of your choice. For 24 hours, the same request with the same key gets the first answer again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description ID of the collection. */
                collection_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the collection.
                         */
                        collection_id: string;
                        collection: components["schemas"]["Collection"];
                        collection_cover_upload: components["schemas"]["CoverUpload"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    listTracks: {
        parameters: {
            query?: {
                /** @description Page size. 1 to 200. Defaults to 50. */
                limit?: number;
                /** @description Number of records to skip. Defaults to 0. */
                offset?: number;
                /** @description Exact match of the identifier. */
                organization_index?: string;
                /** @description ID of the creator that they belong to. */
                creator_id?: string;
            };
            header?: never;
            path: {
                /** @description ID of the collection. */
                collection_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /** @description Number of matching records on all pages. */
                        count: number;
                        tracks: components["schemas"]["ListedTrack"][];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    getTrack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the track. */
                track_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the track.
                         */
                        track_id: string;
                        track: components["schemas"]["Track"];
                        files: components["schemas"]["TrackFile"][];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    updateTrack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the track. */
                track_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateTrack"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the track.
                         */
                        track_id: string;
                        track: components["schemas"]["Track"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    deleteTrack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the track. */
                track_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the track.
                         */
                        track_id: string;
                        deleted_track: components["schemas"]["Track"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    createTrackCover: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes repeating the request safe: it is executed at most once per key. 1 to 255 characters of your choice. For 24 hours, the same request with the same key gets the first answer again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description ID of the track. */
                track_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the track.
                         */
                        track_id: string;
                        track: components["schemas"]["Track"];
                        track_cover_upload: components["schemas"]["CoverUpload"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    createPlaySessionOfCollection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes repeating the request safe: it is executed at most once per key. 1 to 255 characters of your choice. For 24 hours, the same request with the same key gets the first answer again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CreatePlaySession"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the session. A random UUID, and the credential of listeners.
                         */
                        play_session_id: string;
                        play_session: components["schemas"]["PlaySession"];
                        /** @description Number of tracks that play, at most 1,000. */
                        count: number;
                        /** @description The tracks that play, in the order of the collection. */
                        tracks: components["schemas"]["ListedPlayTrack"][];
                        first_track: components["schemas"]["FirstTrack"] | null;
                        /** @description The player color of the track, else of the collection, else of the organization. Hexadecimal, such as `#5b5bd6`. */
                        player_color: string;
                        /** @description The player color, darkened to be legible on light backgrounds. Hexadecimal, such as `#5b5bd6`. */
                        player_color_light: string;
                        /** @description The player color, lightened to be legible on dark backgrounds. Hexadecimal, such as `#5b5bd6`. */
                        player_color_dark: string;
                        /**
                         * Format: date-time
                         * @description End of the session.
                         */
                        expires_at: string;
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    createPlaySessionOfTrack: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes repeating the request safe: it is executed at most once per key. 1 to 255 characters of your choice. For 24 hours, the same request with the same key gets the first answer again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CreatePlaySession"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the session. A random UUID, and the credential of listeners.
                         */
                        play_session_id: string;
                        play_session: components["schemas"]["PlaySession"];
                        /** @description Number of tracks that play, at most 1,000. */
                        count: number;
                        /** @description The tracks that play, in the order of the collection. */
                        tracks: components["schemas"]["ListedPlayTrack"][];
                        first_track: components["schemas"]["FirstTrack"] | null;
                        /** @description The player color of the track, else of the collection, else of the organization. Hexadecimal, such as `#5b5bd6`. */
                        player_color: string;
                        /** @description The player color, darkened to be legible on light backgrounds. Hexadecimal, such as `#5b5bd6`. */
                        player_color_light: string;
                        /** @description The player color, lightened to be legible on dark backgrounds. Hexadecimal, such as `#5b5bd6`. */
                        player_color_dark: string;
                        /**
                         * Format: date-time
                         * @description End of the session.
                         */
                        expires_at: string;
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    getPlaySession: {
        parameters: {
            query?: {
                /** @description Page size. 1 to 200. Defaults to 200. */
                limit?: number;
                /** @description Number of records to skip. Defaults to 0. */
                offset?: number;
            };
            header?: never;
            path: {
                /** @description ID of the session. A random UUID, and the credential of listeners. */
                play_session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the session. A random UUID, and the credential of listeners.
                         */
                        play_session_id: string;
                        play_session: components["schemas"]["PlaySession"];
                        /** @description Number of tracks that play, at most 1,000. */
                        count: number;
                        /** @description The tracks that play, in the order of the collection. */
                        tracks: components["schemas"]["ListedPlayTrack"][];
                        first_track: components["schemas"]["FirstTrack"] | null;
                        /** @description The player color of the track, else of the collection, else of the organization. Hexadecimal, such as `#5b5bd6`. */
                        player_color: string;
                        /** @description The player color, darkened to be legible on light backgrounds. Hexadecimal, such as `#5b5bd6`. */
                        player_color_light: string;
                        /** @description The player color, lightened to be legible on dark backgrounds. Hexadecimal, such as `#5b5bd6`. */
                        player_color_dark: string;
                        /**
                         * Format: date-time
                         * @description End of the session.
                         */
                        expires_at: string;
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["Expired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    getPlayback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the session. A random UUID, and the credential of listeners. */
                play_session_id: string;
                /** @description ID of the track. */
                track_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the track.
                         */
                        track_id: string;
                        track: components["schemas"]["PlayTrack"];
                        /** @description Loudness over time, for drawing. Null until processed. */
                        levels: components["schemas"]["LevelsData"] | null;
                        /** @description Finished files that play, in the order of the session. By default whole recordings are first. */
                        variants: components["schemas"]["TrackFile"][];
                        /** @description The cover of the track, else of the collection, else of the organization. Null without a cover. */
                        cover_image: components["schemas"]["CoverImage"] | null;
                        /**
                         * Format: uuid
                         * @description ID of the session. A random UUID, and the credential of listeners.
                         */
                        play_session_id: string;
                        play_session: components["schemas"]["PlaySession"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["Expired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    getDownload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the session. A random UUID, and the credential of listeners. */
                play_session_id: string;
                /** @description ID of the track. */
                track_id: string;
                /** @description Delivery name. 2 to 64 letters, digits, `_` or `-`. */
                variant_index: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the session. A random UUID, and the credential of listeners.
                         */
                        play_session_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the track.
                         */
                        track_id: string;
                        download: {
                            variant: {
                                /**
                                 * Format: uuid
                                 * @description ID of the variant.
                                 */
                                id: string;
                                /** @description Index of the variant. */
                                index: string;
                                variant_type: {
                                    /**
                                     * @description Type of the variant. It never changes.
                                     * @enum {string}
                                     */
                                    id: "transcode" | "preview" | "levels" | "waveform_image" | "waveform_video" | "original" | "cover";
                                    /** @description Name of the type. */
                                    title: string;
                                    /** @description Widget that shows the file. */
                                    viewer_id: string;
                                };
                            };
                            /**
                             * Format: uri
                             * @description Signed URL, valid for an hour.
                             */
                            url: string;
                            /**
                             * Format: date-time
                             * @description End of the signed URL.
                             */
                            expires_at: string;
                        };
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["Expired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    createUploadSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes repeating the request safe: it is executed at most once per key. 1 to 255 characters of your choice. For 24 hours, the same request with the same key gets the first answer again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CreateUploadSession"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the session. A random UUID: it is the credential for uploads.
                         */
                        upload_session_id: string;
                        upload_session: components["schemas"]["UploadSession"];
                        /** @description Player color of the collection, else of the organization. Hexadecimal, such as `#5b5bd6`. Null without one. */
                        player_color: string | null;
                        /** @description The player color, adjusted to be legible on light backgrounds. Hexadecimal, such as `#5b5bd6`. Null without a player color. */
                        player_color_light: string | null;
                        /** @description The player color, adjusted to be legible on dark backgrounds. Hexadecimal, such as `#5b5bd6`. Null without a player color. */
                        player_color_dark: string | null;
                        /**
                         * Format: date-time
                         * @description Time after which no track can be created.
                         */
                        expires_at: string;
                        /**
                         * Format: uuid
                         * @description ID of the new track.
                         */
                        track_id?: string;
                        track?: components["schemas"]["TrackHandle"];
                        track_upload?: components["schemas"]["TrackUpload"];
                        track_cover_upload?: components["schemas"]["CoverUpload"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    getUploadSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the session. A random UUID: it is the credential for uploads. */
                upload_session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the session. A random UUID: it is the credential for uploads.
                         */
                        upload_session_id: string;
                        upload_session: components["schemas"]["UploadSession"];
                        /** @description Player color of the collection, else of the organization. Hexadecimal, such as `#5b5bd6`. Null without one. */
                        player_color: string | null;
                        /** @description The player color, adjusted to be legible on light backgrounds. Hexadecimal, such as `#5b5bd6`. Null without a player color. */
                        player_color_light: string | null;
                        /** @description The player color, adjusted to be legible on dark backgrounds. Hexadecimal, such as `#5b5bd6`. Null without a player color. */
                        player_color_dark: string | null;
                        /**
                         * Format: date-time
                         * @description Time after which no track can be created.
                         */
                        expires_at: string;
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["Expired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    createUploadTrack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the session. A random UUID: it is the credential for uploads. */
                upload_session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateUploadTrack"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the new track.
                         */
                        track_id: string;
                        track: components["schemas"]["TrackHandle"];
                        track_upload: components["schemas"]["TrackUpload"];
                        track_cover_upload: components["schemas"]["CoverUpload"];
                        /**
                         * Format: uuid
                         * @description ID of the session. A random UUID: it is the credential for uploads.
                         */
                        upload_session_id: string;
                        upload_session: components["schemas"]["UploadSession"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["Expired"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    createTrack: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes repeating the request safe: it is executed at most once per key. 1 to 255 characters of your choice. For 24 hours, the same request with the same key gets the first answer again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTrack"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the new track.
                         */
                        track_id: string;
                        track: components["schemas"]["NewTrack"];
                        track_upload: components["schemas"]["TrackUpload"];
                        track_cover_upload: components["schemas"]["CoverUpload"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    addTrackVariant: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes repeating the request safe: it is executed at most once per key. 1 to 255 characters of your choice. For 24 hours, the same request with the same key gets the first answer again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description ID of the track. */
                track_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddTrackVariant"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the track.
                         */
                        track_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the variant.
                         */
                        variant_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the job.
                         */
                        job_id: string;
                        variant: components["schemas"]["TrackVariant"];
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflictOrIndexTakenOrTrackProcessing"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatchOrNoSourceFile"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    rebuildTrack: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes repeating the request safe: it is executed at most once per key. 1 to 255 characters of your choice. For 24 hours, the same request with the same key gets the first answer again. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description ID of the track. */
                track_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RebuildTrack"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the track.
                         */
                        track_id: string;
                        track: components["schemas"]["Track"];
                        /**
                         * Format: uuid
                         * @description ID of the job.
                         */
                        job_id: string;
                    };
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflictOrTrackProcessing"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatchOrNoSourceFile"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description Inclusive start. A day is its start in UTC. Defaults to 30 days before `to`. */
                from?: string;
                /** @description Exclusive end, at most 400 days after `from`. A day is its start in UTC. Defaults to now. */
                to?: string;
                /** @description One row for each combination. Defaults to a single row. */
                group_by?: ("day" | "creator" | "collection" | "track" | "key" | "variant")[];
                /** @description `json` has at most 10,000 rows, `csv` is a file of any length. Defaults to `json`. */
                format?: "json" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        usage: components["schemas"]["Usage"][];
                    };
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    getStorageUsage: {
        parameters: {
            query?: {
                /** @description One row for each combination. Defaults to a single row. */
                group_by?: ("creator" | "collection")[];
                /** @description `json` has at most 10,000 rows, `csv` is a file of any length. Defaults to `json`. */
                format?: "json" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        usage: components["schemas"]["StorageUsage"][];
                    };
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    getProcessingUsage: {
        parameters: {
            query?: {
                /** @description Inclusive start. A day is its start in UTC. Defaults to 30 days before `to`. */
                from?: string;
                /** @description Exclusive end, at most 400 days after `from`. A day is its start in UTC. Defaults to now. */
                to?: string;
                /** @description One row for each combination. Defaults to a single row. */
                group_by?: ("day" | "creator" | "collection" | "track")[];
                /** @description `json` has at most 10,000 rows, `csv` is a file of any length. Defaults to `json`. */
                format?: "json" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * Format: uuid
                         * @description ID of the request in the log of the service. Also in `X-Request-Id`.
                         */
                        api_request_id: string;
                        usage: components["schemas"]["ProcessingUsage"][];
                    };
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    openStream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The track. */
                track_id: string;
                /** @description A share key. */
                api_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file is at `Location`. Valid for an hour. */
            302: {
                headers: {
                    /** @description On the domain of the organization. */
                    Location?: string;
                    /** @description Every redirect is signed individually. */
                    "Cache-Control"?: "no-store";
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The link does not work, for any reason. */
            404: {
                headers: {
                    /** @description Every redirect is signed individually. */
                    "Cache-Control"?: "no-store";
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "text/html": string;
                };
            };
            /** @description An error of the service. */
            500: {
                headers: {
                    /** @description Every redirect is signed individually. */
                    "Cache-Control"?: "no-store";
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "text/html": string;
                };
            };
            /** @description The service cannot reach its database. */
            503: {
                headers: {
                    /** @description Every redirect is signed individually. */
                    "Cache-Control"?: "no-store";
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "text/html": string;
                };
            };
            /** @description The service took too long. */
            504: {
                headers: {
                    /** @description Every redirect is signed individually. */
                    "Cache-Control"?: "no-store";
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "text/html": string;
                };
            };
        };
    };
    uploadTrack: {
        parameters: {
            query: {
                /** @description Part of the address. */
                issued: string;
                /** @description Part of the address. */
                expires: string;
                /** @description Part of the address. */
                signature: string;
            };
            header?: never;
            path: {
                /** @description ID of the record. */
                id: string;
            };
            cookie?: never;
        };
        /** @description The bytes, with or without chunked encoding. */
        requestBody: {
            content: {
                "application/octet-stream": unknown;
                "audio/*": unknown;
            };
        };
        responses: {
            /** @description The upload is complete and stored. */
            200: {
                headers: {
                    /** @description The checksum in quotes. */
                    ETag?: string;
                    /** @description Lower-case hexadecimal. */
                    "x-checksum-sha256"?: string;
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
            400: components["responses"]["InvalidInput"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["UploadCompletedOrSourceUrlGiven"];
            410: components["responses"]["Expired"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            423: components["responses"]["UploadInUse"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    beginResumableUpload: {
        parameters: {
            query: {
                /** @description Part of the address. */
                issued: string;
                /** @description Part of the address. */
                expires: string;
                /** @description Part of the address. */
                signature: string;
            };
            header: {
                /** @description Version of the protocol. */
                "Tus-Resumable": string;
                /** @description Bytes of the whole recording. */
                "Upload-Length"?: string;
                /** @description `1`: the length is sent later. */
                "Upload-Defer-Length"?: string;
                /** @description Pairs of a key and a base64 value. HEAD returns them. */
                "Upload-Metadata"?: string;
                /** @description Algorithm and base64 digest of this piece. */
                "Upload-Checksum"?: string;
            };
            path: {
                /** @description ID of the record. */
                id: string;
            };
            cookie?: never;
        };
        /** @description The next bytes. */
        requestBody?: {
            content: {
                "application/offset+octet-stream": unknown;
            };
        };
        responses: {
            /** @description The upload has started. */
            201: {
                headers: {
                    /** @description Number of stored bytes. */
                    "Upload-Offset"?: string;
                    /** @description Bytes of the whole recording, if known. */
                    "Upload-Length"?: string;
                    /** @description `1` while the length is unknown. */
                    "Upload-Defer-Length"?: string;
                    /** @description Of HEAD: what the client has sent. */
                    "Upload-Metadata"?: string;
                    /** @description Time at which the stored bytes are deleted. */
                    "Upload-Expires"?: string;
                    /** @description Version of the protocol. */
                    "Tus-Resumable"?: string;
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidInput"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["UploadCompletedOrSourceUrlGivenOrUploadOffsetMismatch"];
            410: components["responses"]["Expired"];
            412: components["responses"]["UnsupportedProtocolVersion"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            423: components["responses"]["UploadInUse"];
            460: components["responses"]["ChecksumMismatch"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    cancelResumableUpload: {
        parameters: {
            query: {
                /** @description Part of the address. */
                issued: string;
                /** @description Part of the address. */
                expires: string;
                /** @description Part of the address. */
                signature: string;
            };
            header: {
                /** @description Version of the protocol. */
                "Tus-Resumable": string;
            };
            path: {
                /** @description ID of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stored bytes are deleted. */
            204: {
                headers: {
                    /** @description Number of stored bytes. */
                    "Upload-Offset"?: string;
                    /** @description Bytes of the whole recording, if known. */
                    "Upload-Length"?: string;
                    /** @description `1` while the length is unknown. */
                    "Upload-Defer-Length"?: string;
                    /** @description Of HEAD: what the client has sent. */
                    "Upload-Metadata"?: string;
                    /** @description Time at which the stored bytes are deleted. */
                    "Upload-Expires"?: string;
                    /** @description Version of the protocol. */
                    "Tus-Resumable"?: string;
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidInput"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["UploadCompletedOrSourceUrlGivenOrUploadOffsetMismatch"];
            410: components["responses"]["Expired"];
            412: components["responses"]["UnsupportedProtocolVersion"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            423: components["responses"]["UploadInUse"];
            460: components["responses"]["ChecksumMismatch"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    getResumableUpload: {
        parameters: {
            query: {
                /** @description Part of the address. */
                issued: string;
                /** @description Part of the address. */
                expires: string;
                /** @description Part of the address. */
                signature: string;
            };
            header: {
                /** @description Version of the protocol. */
                "Tus-Resumable": string;
            };
            path: {
                /** @description ID of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The progress. */
            200: {
                headers: {
                    /** @description Number of stored bytes. */
                    "Upload-Offset"?: string;
                    /** @description Bytes of the whole recording, if known. */
                    "Upload-Length"?: string;
                    /** @description `1` while the length is unknown. */
                    "Upload-Defer-Length"?: string;
                    /** @description Of HEAD: what the client has sent. */
                    "Upload-Metadata"?: string;
                    /** @description Time at which the stored bytes are deleted. */
                    "Upload-Expires"?: string;
                    /** @description Version of the protocol. */
                    "Tus-Resumable"?: string;
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidInput"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["UploadCompletedOrSourceUrlGivenOrUploadOffsetMismatch"];
            410: components["responses"]["Expired"];
            412: components["responses"]["UnsupportedProtocolVersion"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            423: components["responses"]["UploadInUse"];
            460: components["responses"]["ChecksumMismatch"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    continueResumableUpload: {
        parameters: {
            query: {
                /** @description Part of the address. */
                issued: string;
                /** @description Part of the address. */
                expires: string;
                /** @description Part of the address. */
                signature: string;
            };
            header: {
                /** @description Version of the protocol. */
                "Tus-Resumable": string;
                /** @description Offset of the piece. */
                "Upload-Offset": string;
                /** @description Bytes of the whole recording. */
                "Upload-Length"?: string;
                /** @description Algorithm and base64 digest of this piece. */
                "Upload-Checksum"?: string;
            };
            path: {
                /** @description ID of the record. */
                id: string;
            };
            cookie?: never;
        };
        /** @description The next bytes. */
        requestBody: {
            content: {
                "application/offset+octet-stream": unknown;
            };
        };
        responses: {
            /** @description The piece is stored. */
            204: {
                headers: {
                    /** @description Number of stored bytes. */
                    "Upload-Offset"?: string;
                    /** @description Bytes of the whole recording, if known. */
                    "Upload-Length"?: string;
                    /** @description `1` while the length is unknown. */
                    "Upload-Defer-Length"?: string;
                    /** @description Of HEAD: what the client has sent. */
                    "Upload-Metadata"?: string;
                    /** @description Time at which the stored bytes are deleted. */
                    "Upload-Expires"?: string;
                    /** @description Version of the protocol. */
                    "Tus-Resumable"?: string;
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidInput"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["UploadCompletedOrSourceUrlGivenOrUploadOffsetMismatch"];
            410: components["responses"]["Expired"];
            412: components["responses"]["UnsupportedProtocolVersion"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            423: components["responses"]["UploadInUse"];
            460: components["responses"]["ChecksumMismatch"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    uploadTrackCover: {
        parameters: {
            query: {
                /** @description Part of the address. */
                issued: string;
                /** @description Part of the address. */
                expires: string;
                /** @description Part of the address. */
                signature: string;
            };
            header?: never;
            path: {
                /** @description ID of the record. */
                id: string;
            };
            cookie?: never;
        };
        /** @description The bytes, with or without chunked encoding. */
        requestBody: {
            content: {
                "image/*": unknown;
                "multipart/form-data": {
                    /** @description The picture. */
                    file?: string;
                };
            };
        };
        responses: {
            /** @description The upload is complete and stored. */
            200: {
                headers: {
                    /** @description The checksum in quotes. */
                    ETag?: string;
                    /** @description Lower-case hexadecimal. */
                    "x-checksum-sha256"?: string;
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
            400: components["responses"]["InvalidInput"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["UploadCompletedOrSourceUrlGiven"];
            410: components["responses"]["Expired"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            423: components["responses"]["UploadInUse"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    uploadCollectionCover: {
        parameters: {
            query: {
                /** @description Part of the address. */
                issued: string;
                /** @description Part of the address. */
                expires: string;
                /** @description Part of the address. */
                signature: string;
            };
            header?: never;
            path: {
                /** @description ID of the record. */
                id: string;
            };
            cookie?: never;
        };
        /** @description The bytes, with or without chunked encoding. */
        requestBody: {
            content: {
                "image/*": unknown;
                "multipart/form-data": {
                    /** @description The picture. */
                    file?: string;
                };
            };
        };
        responses: {
            /** @description The upload is complete and stored. */
            200: {
                headers: {
                    /** @description The checksum in quotes. */
                    ETag?: string;
                    /** @description Lower-case hexadecimal. */
                    "x-checksum-sha256"?: string;
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
            400: components["responses"]["InvalidInput"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["UploadCompletedOrSourceUrlGiven"];
            410: components["responses"]["Expired"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            423: components["responses"]["UploadInUse"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    uploadOrganizationCover: {
        parameters: {
            query: {
                /** @description Part of the address. */
                issued: string;
                /** @description Part of the address. */
                expires: string;
                /** @description Part of the address. */
                signature: string;
            };
            header?: never;
            path: {
                /** @description ID of the record. */
                id: string;
            };
            cookie?: never;
        };
        /** @description The bytes, with or without chunked encoding. */
        requestBody: {
            content: {
                "image/*": unknown;
                "multipart/form-data": {
                    /** @description The picture. */
                    file?: string;
                };
            };
        };
        responses: {
            /** @description The upload is complete and stored. */
            200: {
                headers: {
                    /** @description The checksum in quotes. */
                    ETag?: string;
                    /** @description Lower-case hexadecimal. */
                    "x-checksum-sha256"?: string;
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
            400: components["responses"]["InvalidInput"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["UploadCompletedOrSourceUrlGiven"];
            410: components["responses"]["Expired"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            423: components["responses"]["UploadInUse"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    getFile: {
        parameters: {
            query: {
                /** @description Time of the signature, and the signature. */
                verify: string;
            };
            header?: {
                /** @description One range of the file. Ignored for HEAD. */
                Range?: string;
                /** @description Applies Range only if the file has not changed. */
                "If-Range"?: string;
                /** @description Returns the file only if it has changed. */
                "If-None-Match"?: string;
                /** @description Returns the file only if it has not changed, else 412. */
                "If-Match"?: string;
                /** @description The same by date. */
                "If-Unmodified-Since"?: string;
            };
            path: {
                /** @description Path of the file. Slashes are not escaped. */
                file_path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole file. */
            200: {
                headers: {
                    /** @description Strong tag of the bytes. */
                    ETag?: string;
                    /** @description Time at which the file was created. */
                    "Last-Modified"?: string;
                    /** @description Range requests are supported. */
                    "Accept-Ranges"?: string;
                    /** @description Bytes of this answer. */
                    "Content-Length"?: string;
                    /** @description `file_name`; `attachment` for a download. */
                    "Content-Disposition"?: string;
                    /** @description Expires with the address. */
                    "Cache-Control"?: string;
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "audio/*": unknown;
                    "image/*": unknown;
                    "video/*": unknown;
                    "application/octet-stream": unknown;
                    "application/json": unknown;
                };
            };
            /** @description The requested range. */
            206: {
                headers: {
                    /** @description Strong tag of the bytes. */
                    ETag?: string;
                    /** @description Time at which the file was created. */
                    "Last-Modified"?: string;
                    /** @description Range requests are supported. */
                    "Accept-Ranges"?: string;
                    /** @description Bytes of this answer. */
                    "Content-Length"?: string;
                    /** @description `file_name`; `attachment` for a download. */
                    "Content-Disposition"?: string;
                    /** @description Expires with the address. */
                    "Cache-Control"?: string;
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description The range, and the size of the file. */
                    "Content-Range"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "audio/*": unknown;
                    "image/*": unknown;
                    "video/*": unknown;
                    "application/octet-stream": unknown;
                    "application/json": unknown;
                };
            };
            /** @description The file has not changed. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["Expired"];
            /** @description The file has another version than If-Match or If-Unmodified-Since requires. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The range is outside of the file. */
            416: {
                headers: {
                    /** @description The range, and the size of the file. */
                    "Content-Range"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    headFile: {
        parameters: {
            query: {
                /** @description Time of the signature, and the signature. */
                verify: string;
            };
            header?: {
                /** @description One range of the file. Ignored for HEAD. */
                Range?: string;
                /** @description Applies Range only if the file has not changed. */
                "If-Range"?: string;
                /** @description Returns the file only if it has changed. */
                "If-None-Match"?: string;
                /** @description Returns the file only if it has not changed, else 412. */
                "If-Match"?: string;
                /** @description The same by date. */
                "If-Unmodified-Since"?: string;
            };
            path: {
                /** @description Path of the file. Slashes are not escaped. */
                file_path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole file. */
            200: {
                headers: {
                    /** @description Strong tag of the bytes. */
                    ETag?: string;
                    /** @description Time at which the file was created. */
                    "Last-Modified"?: string;
                    /** @description Range requests are supported. */
                    "Accept-Ranges"?: string;
                    /** @description Bytes of this answer. */
                    "Content-Length"?: string;
                    /** @description `file_name`; `attachment` for a download. */
                    "Content-Disposition"?: string;
                    /** @description Expires with the address. */
                    "Cache-Control"?: string;
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "audio/*": unknown;
                    "image/*": unknown;
                    "video/*": unknown;
                    "application/octet-stream": unknown;
                    "application/json": unknown;
                };
            };
            /** @description The requested range. */
            206: {
                headers: {
                    /** @description Strong tag of the bytes. */
                    ETag?: string;
                    /** @description Time at which the file was created. */
                    "Last-Modified"?: string;
                    /** @description Range requests are supported. */
                    "Accept-Ranges"?: string;
                    /** @description Bytes of this answer. */
                    "Content-Length"?: string;
                    /** @description `file_name`; `attachment` for a download. */
                    "Content-Disposition"?: string;
                    /** @description Expires with the address. */
                    "Cache-Control"?: string;
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description The range, and the size of the file. */
                    "Content-Range"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "audio/*": unknown;
                    "image/*": unknown;
                    "video/*": unknown;
                    "application/octet-stream": unknown;
                    "application/json": unknown;
                };
            };
            /** @description The file has not changed. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["Expired"];
            /** @description The file has another version than If-Match or If-Unmodified-Since requires. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The range is outside of the file. */
            416: {
                headers: {
                    /** @description The range, and the size of the file. */
                    "Content-Range"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    onTrackStatusChanged: {
        parameters: {
            query?: never;
            header: {
                /** @description ID of the event, the same for every attempt. */
                "webhook-id": string;
                /** @description Time of the attempt, in unix seconds. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`. Several, separated by spaces, while a secret is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "track.status_changed";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /**
                         * @description State of the upload and the processing.
                         * @enum {string}
                         */
                        status: "initialized" | "processing" | "fallback_processing" | "ready" | "incomplete" | "error" | "init_error";
                        /**
                         * @description State of the upload and the processing.
                         * @enum {string}
                         */
                        previous_status: "initialized" | "processing" | "fallback_processing" | "ready" | "incomplete" | "error" | "init_error";
                        /**
                         * Format: uuid
                         * @description ID of the organization.
                         */
                        organization_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the creator. Null when the subject has no creator.
                         */
                        creator_id: string | null;
                        /**
                         * Format: uuid
                         * @description ID of the collection.
                         */
                        collection_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the track. UUID.
                         */
                        track_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the upload session that it was created in. Null outside a session.
                         */
                        upload_session_id: string | null;
                        track: components["schemas"]["Track"];
                        files: components["schemas"]["TrackFile"][];
                    };
                };
            };
        };
        responses: {
            /** @description The endpoint is gone. No further deliveries are sent to it. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTrackFileCreated: {
        parameters: {
            query?: never;
            header: {
                /** @description ID of the event, the same for every attempt. */
                "webhook-id": string;
                /** @description Time of the attempt, in unix seconds. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`. Several, separated by spaces, while a secret is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "track_file.created";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description ID of the organization.
                         */
                        organization_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the creator. Null when the subject has no creator.
                         */
                        creator_id: string | null;
                        /**
                         * Format: uuid
                         * @description ID of the collection.
                         */
                        collection_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the track. UUID.
                         */
                        track_id: string;
                        file: components["schemas"]["TrackFile"];
                    };
                };
            };
        };
        responses: {
            /** @description The endpoint is gone. No further deliveries are sent to it. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTrackFileFailed: {
        parameters: {
            query?: never;
            header: {
                /** @description ID of the event, the same for every attempt. */
                "webhook-id": string;
                /** @description Time of the attempt, in unix seconds. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`. Several, separated by spaces, while a secret is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "track_file.failed";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description ID of the organization.
                         */
                        organization_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the creator. Null when the subject has no creator.
                         */
                        creator_id: string | null;
                        /**
                         * Format: uuid
                         * @description ID of the collection.
                         */
                        collection_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the track. UUID.
                         */
                        track_id: string;
                        file: components["schemas"]["TrackFile"];
                    };
                };
            };
        };
        responses: {
            /** @description The endpoint is gone. No further deliveries are sent to it. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCollectionCreated: {
        parameters: {
            query?: never;
            header: {
                /** @description ID of the event, the same for every attempt. */
                "webhook-id": string;
                /** @description Time of the attempt, in unix seconds. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`. Several, separated by spaces, while a secret is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "collection.created";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description ID of the organization.
                         */
                        organization_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the creator. Null when the subject has no creator.
                         */
                        creator_id: string | null;
                        /**
                         * Format: uuid
                         * @description ID of the collection.
                         */
                        collection_id: string;
                        collection: {
                            /**
                             * Format: uuid
                             * @description ID of the collection. UUID.
                             */
                            id: string;
                            /** @description Title of the collection at the time of the event. */
                            title: string;
                            /** @description The client's own identifier. Not unique. 0 to 255 characters. Null when not set. */
                            organization_index: string | null;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description The endpoint is gone. No further deliveries are sent to it. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCollectionUpdated: {
        parameters: {
            query?: never;
            header: {
                /** @description ID of the event, the same for every attempt. */
                "webhook-id": string;
                /** @description Time of the attempt, in unix seconds. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`. Several, separated by spaces, while a secret is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "collection.updated";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description ID of the organization.
                         */
                        organization_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the creator. Null when the subject has no creator.
                         */
                        creator_id: string | null;
                        /**
                         * Format: uuid
                         * @description ID of the collection.
                         */
                        collection_id: string;
                        collection: {
                            /**
                             * Format: uuid
                             * @description ID of the collection. UUID.
                             */
                            id: string;
                            /** @description Title of the collection at the time of the event. */
                            title: string;
                            /** @description The client's own identifier. Not unique. 0 to 255 characters. Null when not set. */
                            organization_index: string | null;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description The endpoint is gone. No further deliveries are sent to it. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCollectionDeleted: {
        parameters: {
            query?: never;
            header: {
                /** @description ID of the event, the same for every attempt. */
                "webhook-id": string;
                /** @description Time of the attempt, in unix seconds. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`. Several, separated by spaces, while a secret is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "collection.deleted";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description ID of the organization.
                         */
                        organization_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the creator. Null when the subject has no creator.
                         */
                        creator_id: string | null;
                        /**
                         * Format: uuid
                         * @description ID of the collection.
                         */
                        collection_id: string;
                        collection: {
                            /**
                             * Format: uuid
                             * @description ID of the collection. UUID.
                             */
                            id: string;
                            /** @description Title of the collection at the time of the event. */
                            title: string;
                            /** @description The client's own identifier. Not unique. 0 to 255 characters. Null when not set. */
                            organization_index: string | null;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description The endpoint is gone. No further deliveries are sent to it. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCollectionRestored: {
        parameters: {
            query?: never;
            header: {
                /** @description ID of the event, the same for every attempt. */
                "webhook-id": string;
                /** @description Time of the attempt, in unix seconds. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`. Several, separated by spaces, while a secret is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "collection.restored";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description ID of the organization.
                         */
                        organization_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the creator. Null when the subject has no creator.
                         */
                        creator_id: string | null;
                        /**
                         * Format: uuid
                         * @description ID of the collection.
                         */
                        collection_id: string;
                        collection: {
                            /**
                             * Format: uuid
                             * @description ID of the collection. UUID.
                             */
                            id: string;
                            /** @description Title of the collection at the time of the event. */
                            title: string;
                            /** @description The client's own identifier. Not unique. 0 to 255 characters. Null when not set. */
                            organization_index: string | null;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description The endpoint is gone. No further deliveries are sent to it. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWebhookDisabled: {
        parameters: {
            query?: never;
            header: {
                /** @description ID of the event, the same for every attempt. */
                "webhook-id": string;
                /** @description Time of the attempt, in unix seconds. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`. Several, separated by spaces, while a secret is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "webhook.disabled";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description ID of the organization.
                         */
                        organization_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the endpoint.
                         */
                        webhook_endpoint_id: string;
                        /**
                         * @description `gone`: it answered 410. `failing`: no delivery succeeded for five days.
                         * @enum {string}
                         */
                        disabled_reason: "gone" | "failing";
                        /**
                         * Format: date-time
                         * @description Time since which every delivery has failed.
                         */
                        failing_since: string;
                    };
                };
            };
        };
        responses: {
            /** @description The endpoint is gone. No further deliveries are sent to it. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWebhookTest: {
        parameters: {
            query?: never;
            header: {
                /** @description ID of the event, the same for every attempt. */
                "webhook-id": string;
                /** @description Time of the attempt, in unix seconds. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`. Several, separated by spaces, while a secret is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "webhook.test";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description ID of the organization.
                         */
                        organization_id: string;
                        /**
                         * Format: uuid
                         * @description ID of the endpoint.
                         */
                        webhook_endpoint_id: string;
                    };
                };
            };
        };
        responses: {
            /** @description The endpoint is gone. No further deliveries are sent to it. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
