-- All tables, in the order of their concepts. What a table and its columns mean is in schema.prisma. Functions, triggers and
-- views are in ../sql.

-- The extensions may be in another schema, where an operator of the database created them for a role that must not.
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS btree_gin;
    CREATE EXTENSION IF NOT EXISTS btree_gist;
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
EXCEPTION WHEN OTHERS THEN
    RAISE EXCEPTION 'the database rejects the extensions that the service needs (%); allow btree_gin, btree_gist and pg_trgm, or run CREATE EXTENSION for each as an administrator of the database, then start again', SQLERRM;
END
$$;

-- Partitions of the ledger, and tables that are not part of the Prisma schema.
CREATE SCHEMA ledger;

CREATE TYPE administrator_role AS ENUM ('owner', 'admin', 'viewer');
CREATE TYPE delivery_state AS ENUM ('pending', 'delivered', 'failed');
CREATE TYPE episode_type AS ENUM ('full', 'trailer', 'bonus');
CREATE TYPE job_kind AS ENUM (
    'process_track', 'process_variant', 'process_track_cover',
    'process_collection_cover', 'process_organization_cover', 'rebuild_track'
);
CREATE TYPE job_state AS ENUM ('queued', 'running', 'done', 'failed', 'cancelled');
CREATE TYPE key_kind AS ENUM ('api', 'uploader', 'player', 'share');
CREATE TYPE play_exclusion AS ENUM ('bot', 'prefetch', 'probe', 'repeat');
-- Plays of an hour (UTC), a key and a variant, within the row of a day.
CREATE TYPE play_part AS (hour smallint, key_id uuid, variant_id uuid, requests integer, listens integer);
CREATE TYPE podcast_type AS ENUM ('episodic', 'serial');
CREATE TYPE track_file_state AS ENUM ('queued', 'processing', 'done', 'failed');
CREATE TYPE track_status AS ENUM (
    'initialized', 'processing', 'fallback_processing',
    'ready', 'incomplete', 'error', 'init_error'
);
-- For `variant_index_taken`.
CREATE TYPE uuid_range AS RANGE (subtype = uuid);
CREATE TYPE variant_type AS ENUM ('transcode', 'preview', 'levels', 'waveform_image', 'waveform_video', 'original', 'cover');

CREATE TABLE installation (
    id integer PRIMARY KEY DEFAULT 1,
    secret_fingerprint text NOT NULL,
    last_backup_at timestamptz(3),
    last_drill_at timestamptz(3),
    CONSTRAINT installation_is_one CHECK (id = 1)
);

CREATE TABLE metric_reading (
    name text PRIMARY KEY,
    claimed_at timestamptz(3) NOT NULL,
    read_at timestamptz(3),
    value jsonb
);

CREATE TABLE signing_key (
    id text PRIMARY KEY,
    sealed_key text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    retired_at timestamptz(3)
);

CREATE TABLE worker_pool (
    id text PRIMARY KEY,
    alive_since timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    beat_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    slots integer NOT NULL DEFAULT 0
);

-- Written for each request. May be lost: after a crash of the server the counters start again.
CREATE UNLOGGED TABLE rate_limit (
    key varchar(255) PRIMARY KEY,
    points integer NOT NULL DEFAULT 0,
    expire bigint
);

CREATE TABLE idempotency_key (
    organization_id uuid NOT NULL,
    key_id uuid NOT NULL,
    key text NOT NULL,
    fingerprint text NOT NULL,
    body text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    request_id uuid NOT NULL,
    PRIMARY KEY (key_id, key)
);
CREATE INDEX idempotency_key_created_at_idx ON idempotency_key (created_at);

CREATE TABLE organization (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    domain text NOT NULL,
    signing_secrets text[],
    theme jsonb NOT NULL DEFAULT '[]',
    is_theme_overridable boolean NOT NULL DEFAULT true,
    is_cover_overridable boolean NOT NULL DEFAULT true,
    player_color text NOT NULL DEFAULT '#5b5bd6',
    player_subtitle text NOT NULL DEFAULT '',
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at timestamptz(3) NOT NULL,
    cover jsonb,
    cover_uploaded_at timestamptz(3),
    is_domain_default boolean NOT NULL DEFAULT false,
    cover_source_key text,
    cover_issued_at timestamptz(3),
    is_indexable boolean NOT NULL DEFAULT false,
    CONSTRAINT organization_cover_is_whole CHECK ((cover_uploaded_at IS NULL) = (cover_source_key IS NULL)),
    CONSTRAINT organization_has_signing_secret CHECK (cardinality(signing_secrets) >= 1),
    CONSTRAINT organization_player_color_is_hex CHECK (player_color ~ '^#[0-9a-f]{6}$')
);
CREATE UNIQUE INDEX organization_cover_source_key_key ON organization (cover_source_key);

CREATE TABLE signing_secret (
    id text NOT NULL,
    organization_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE ON UPDATE CASCADE,
    created_at timestamptz(3) NOT NULL,
    signed_until timestamptz(3),
    CONSTRAINT signing_secret_id_form CHECK (id ~ '^[0-9a-f]{16}$'),
    PRIMARY KEY (organization_id, id)
);

CREATE TABLE administrator (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organization ON DELETE RESTRICT ON UPDATE CASCADE,
    email text NOT NULL,
    password_hash text NOT NULL,
    role administrator_role NOT NULL DEFAULT 'admin',
    last_sign_in_at timestamptz(3),
    disabled_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    tokens_ended_at timestamptz(3),
    name text,
    sealed_totp_secret text,
    totp_step integer,
    CONSTRAINT administrator_email_is_lower CHECK (email = lower(email)),
    CONSTRAINT administrator_totp_is_whole CHECK ((sealed_totp_secret IS NULL) = (totp_step IS NULL))
);
CREATE UNIQUE INDEX administrator_email_taken ON administrator (email);
CREATE INDEX administrator_organization_id_created_at_id_idx ON administrator (organization_id, created_at DESC, id DESC);

CREATE TABLE invitation (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE ON UPDATE CASCADE,
    created_by_id uuid NOT NULL REFERENCES administrator ON DELETE CASCADE ON UPDATE CASCADE,
    email text NOT NULL,
    role administrator_role NOT NULL,
    hash text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT invitation_email_is_lower CHECK (email = lower(email)),
    CONSTRAINT invitation_ends_later CHECK (expires_at > created_at),
    CONSTRAINT invitation_hash_form CHECK (hash ~ '^[0-9a-f]{64}$')
);
CREATE UNIQUE INDEX invitation_hash_key ON invitation (hash);
CREATE UNIQUE INDEX invitation_organization_id_email_key ON invitation (organization_id, email);
CREATE INDEX invitation_created_by_id_idx ON invitation (created_by_id);
CREATE INDEX invitation_expires_at_idx ON invitation (expires_at);

CREATE TABLE passkey (
    id uuid PRIMARY KEY,
    administrator_id uuid NOT NULL REFERENCES administrator ON DELETE CASCADE ON UPDATE CASCADE,
    credential_id text NOT NULL,
    public_key text NOT NULL,
    title text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    last_used_at timestamptz(3),
    challenged_at timestamptz(3) NOT NULL
);
CREATE UNIQUE INDEX passkey_credential_id_key ON passkey (credential_id);
CREATE INDEX passkey_administrator_id_idx ON passkey (administrator_id);

CREATE TABLE recovery_code (
    administrator_id uuid NOT NULL REFERENCES administrator ON DELETE CASCADE ON UPDATE CASCADE,
    hash text NOT NULL,
    PRIMARY KEY (administrator_id, hash),
    CONSTRAINT recovery_code_hash_form CHECK (hash ~ '^[0-9a-f]{64}$')
);

CREATE TABLE sign_in_link (
    id uuid PRIMARY KEY,
    administrator_id uuid NOT NULL REFERENCES administrator ON DELETE CASCADE ON UPDATE CASCADE,
    hash text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT sign_in_link_ends_later CHECK (expires_at > created_at),
    CONSTRAINT sign_in_link_hash_form CHECK (hash ~ '^[0-9a-f]{64}$')
);
CREATE UNIQUE INDEX sign_in_link_hash_key ON sign_in_link (hash);
CREATE INDEX sign_in_link_administrator_id_idx ON sign_in_link (administrator_id);
CREATE INDEX sign_in_link_expires_at_idx ON sign_in_link (expires_at);

CREATE TABLE sign_in_session (
    id uuid PRIMARY KEY,
    administrator_id uuid NOT NULL REFERENCES administrator ON DELETE CASCADE ON UPDATE CASCADE,
    refresh_hash text NOT NULL,
    address text,
    user_agent text,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    last_used_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    revoked_at timestamptz(3),
    CONSTRAINT sign_in_session_ends_later CHECK (expires_at > created_at),
    CONSTRAINT sign_in_session_refresh_hash_form CHECK (refresh_hash ~ '^[0-9a-f]{64}$')
);
CREATE INDEX sign_in_session_administrator_id_idx ON sign_in_session (administrator_id);
CREATE INDEX sign_in_session_expires_at_idx ON sign_in_session (expires_at);
CREATE UNIQUE INDEX sign_in_session_refresh_hash_key ON sign_in_session (refresh_hash);

CREATE TABLE folder (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organization ON DELETE RESTRICT ON UPDATE CASCADE,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    deleted_at timestamptz(3)
);
CREATE INDEX folder_organization_id_idx ON folder (organization_id);

CREATE TABLE creator (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organization ON DELETE RESTRICT ON UPDATE CASCADE,
    folder_id uuid NOT NULL REFERENCES folder ON DELETE RESTRICT ON UPDATE CASCADE,
    organization_index text NOT NULL,
    metadata jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at timestamptz(3) NOT NULL,
    deleted_at timestamptz(3),
    CONSTRAINT creator_metadata_is_object CHECK (jsonb_typeof(metadata) = 'object')
);
CREATE UNIQUE INDEX creator_folder_id_key ON creator (folder_id);
CREATE INDEX creator_organization_id_created_at_id_idx ON creator (organization_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX creator_organization_index_taken
    ON creator (organization_id, organization_index) WHERE deleted_at IS NULL;

CREATE TABLE collection (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organization ON DELETE RESTRICT ON UPDATE CASCADE,
    creator_id uuid REFERENCES creator ON DELETE RESTRICT ON UPDATE CASCADE,
    title text NOT NULL,
    organization_index text,
    metadata jsonb NOT NULL DEFAULT '{}',
    theme jsonb NOT NULL DEFAULT '[]',
    is_cover_overridable boolean NOT NULL DEFAULT true,
    is_theme_overridable boolean NOT NULL DEFAULT true,
    player_color text,
    player_subtitle text,
    cover jsonb,
    cover_uploaded_at timestamptz(3),
    next_track_order integer NOT NULL DEFAULT 0,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at timestamptz(3) NOT NULL,
    deleted_at timestamptz(3),
    cover_source_key text,
    cover_issued_at timestamptz(3),
    restoring_from timestamptz(3),
    author text,
    description text,
    is_explicit boolean NOT NULL DEFAULT false,
    language text,
    owner_email text,
    owner_name text,
    podcast_category text,
    podcast_type podcast_type NOT NULL DEFAULT 'serial',
    search_text text NOT NULL DEFAULT '',
    CONSTRAINT collection_cover_is_whole CHECK ((cover_uploaded_at IS NULL) = (cover_source_key IS NULL)),
    CONSTRAINT collection_metadata_is_object CHECK (jsonb_typeof(metadata) = 'object'),
    CONSTRAINT collection_player_color_is_hex CHECK (player_color ~ '^#[0-9a-f]{6}$')
);
CREATE UNIQUE INDEX collection_cover_source_key_key ON collection (cover_source_key);
CREATE INDEX collection_creator_id_deleted_at_idx ON collection (creator_id, deleted_at);
CREATE INDEX collection_deleted ON collection (organization_id, deleted_at DESC, id DESC) WHERE deleted_at IS NOT NULL;
CREATE INDEX collection_organization_id_created_at_id_idx ON collection (organization_id, created_at DESC, id DESC);
CREATE INDEX collection_organization_id_organization_index_idx ON collection (organization_id, organization_index);

CREATE TABLE track (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organization ON DELETE RESTRICT ON UPDATE CASCADE,
    collection_id uuid NOT NULL REFERENCES collection ON DELETE RESTRICT ON UPDATE CASCADE,
    creator_id uuid REFERENCES creator ON DELETE RESTRICT ON UPDATE CASCADE,
    -- Without a foreign key: sessions are deleted before their tracks.
    upload_session_id uuid,
    index text NOT NULL,
    "order" double precision NOT NULL,
    status track_status NOT NULL DEFAULT 'initialized',
    status_code text,
    status_text text,
    file_name text NOT NULL,
    file_name_original text,
    duration_seconds double precision,
    info jsonb,
    organization_index text,
    metadata jsonb NOT NULL DEFAULT '{}',
    player_title text,
    player_subtitle text,
    player_color text,
    theme jsonb NOT NULL DEFAULT '[]',
    transcription text,
    transcription_language text,
    base_path text NOT NULL,
    upload_expires_at timestamptz(3) NOT NULL,
    upload_active_at timestamptz(3),
    upload_completed_at timestamptz(3),
    source_sha256 text,
    source_bytes bigint,
    cover_uploaded_at timestamptz(3),
    files_completed_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at timestamptz(3) NOT NULL,
    deleted_at timestamptz(3),
    purged_at timestamptz(3),
    progress smallint NOT NULL DEFAULT 0,
    status_changed_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    analysis jsonb,
    announced_bytes bigint,
    source_key text,
    cover_source_key text,
    cover_issued_at timestamptz(3),
    is_recording_replaced boolean NOT NULL DEFAULT false,
    chapters jsonb,
    source_chapters jsonb,
    source_tags jsonb,
    quality jsonb,
    upload_metadata text,
    description text,
    episode integer,
    episode_type episode_type NOT NULL DEFAULT 'full',
    is_explicit boolean,
    published_at timestamptz(3),
    season integer,
    source_name text,
    -- A new recording of a track is a row of its own, until it exchanges its recording with the track (decision 0070).
    replaces_id uuid REFERENCES track ON DELETE RESTRICT ON UPDATE CASCADE,
    replaced_at timestamptz(3),
    album text,
    track_number integer,
    disc_number integer,
    isrc text,
    year integer,
    search_text text NOT NULL DEFAULT '',
    -- Keys that lists are ordered by (decision 0076).
    title_key text NOT NULL DEFAULT '',
    artist_key text NOT NULL DEFAULT '',
    CONSTRAINT track_announced_bytes_is_positive CHECK (announced_bytes > 0),
    CONSTRAINT track_cover_is_whole CHECK ((cover_uploaded_at IS NULL) = (cover_source_key IS NULL)),
    CONSTRAINT track_failure_has_reason CHECK (
        status NOT IN ('error', 'init_error') OR (status_code IS NOT NULL AND status_text IS NOT NULL)
    ),
    CONSTRAINT track_former_is_deleted CHECK (
        replaced_at IS NULL OR (replaces_id IS NOT NULL AND deleted_at IS NOT NULL)
    ),
    CONSTRAINT track_metadata_is_object CHECK (jsonb_typeof(metadata) = 'object'),
    CONSTRAINT track_player_color_is_hex CHECK (player_color ~ '^#[0-9a-f]{6}$'),
    CONSTRAINT track_progress_is_percent CHECK (progress BETWEEN 0 AND 99),
    CONSTRAINT track_upload_is_whole CHECK (num_nonnulls(upload_completed_at, source_bytes, source_key) IN (0, 3))
);
CREATE UNIQUE INDEX track_base_path_key ON track (base_path);
CREATE INDEX track_collection_id_created_at_id_idx ON track (collection_id, created_at DESC, id DESC);
CREATE INDEX track_collection_id_order_id_idx ON track (collection_id, "order", id);
CREATE UNIQUE INDEX track_cover_source_key_key ON track (cover_source_key);
CREATE INDEX track_creator_id_deleted_at_idx ON track (creator_id, deleted_at);
-- For lists of tracks that can be restored.
CREATE INDEX track_deleted
    ON track (organization_id, deleted_at DESC, id DESC) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;
CREATE INDEX track_organization_id_artist_key_id_idx ON track (organization_id, artist_key, id);
CREATE INDEX track_organization_id_created_at_id_idx ON track (organization_id, created_at DESC, id DESC);
CREATE INDEX track_organization_id_duration_seconds_id_idx ON track (organization_id, duration_seconds, id);
CREATE INDEX track_organization_id_file_name_id_idx ON track (organization_id, file_name, id);
CREATE UNIQUE INDEX track_organization_id_index_key ON track (organization_id, index);
CREATE INDEX track_organization_id_organization_index_idx ON track (organization_id, organization_index);
CREATE INDEX track_organization_id_source_bytes_idx ON track (organization_id, source_bytes);
CREATE INDEX track_organization_id_status_changed_at_idx ON track (organization_id, status_changed_at);
CREATE INDEX track_organization_id_title_key_id_idx ON track (organization_id, title_key, id);
CREATE INDEX track_organization_id_updated_at_id_idx ON track (organization_id, updated_at DESC, id DESC);
CREATE INDEX track_purged ON track (purged_at) WHERE purged_at IS NOT NULL;
CREATE INDEX track_recording_replaced ON track (organization_id) WHERE is_recording_replaced;
CREATE UNIQUE INDEX track_replaced_once ON track (replaces_id)
    WHERE replaces_id IS NOT NULL AND replaced_at IS NULL AND deleted_at IS NULL;
CREATE INDEX track_replacement ON track (replaces_id, created_at DESC, id DESC) WHERE replaces_id IS NOT NULL;
CREATE UNIQUE INDEX track_source_key_key ON track (source_key);
-- For clients that watch an organization: tracks whose state they receive first.
CREATE INDEX track_under_way ON track (organization_id, id)
    WHERE status IN ('initialized', 'processing', 'fallback_processing') AND deleted_at IS NULL;
CREATE INDEX track_upload_session_id_idx ON track (upload_session_id);
-- For the tasks that purge deleted tracks and expire upload addresses.
CREATE INDEX track_waiting_for_purge ON track (deleted_at) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;
CREATE INDEX track_waiting_for_upload ON track (upload_expires_at)
    WHERE status = 'initialized' AND upload_completed_at IS NULL AND deleted_at IS NULL;

-- Searches compare one column (decision 0074). With the organization, so that a term that others use often is not slow.
-- Entries wait in a short list: a search reads all of it, and the write that fills it inserts them.
DO $$
DECLARE
    trigrams text;
BEGIN
    SELECT format('%I.gin_trgm_ops', n.nspname) INTO trigrams
    FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm';
    EXECUTE format(
        'CREATE INDEX track_search_text ON track USING gin (organization_id, search_text %1$s)
            WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL', trigrams);
    EXECUTE format(
        'CREATE INDEX collection_search_text ON collection USING gin (organization_id, search_text %1$s)
            WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL', trigrams);
END
$$;

CREATE TABLE variant (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organization ON DELETE RESTRICT ON UPDATE CASCADE,
    track_id uuid REFERENCES track ON DELETE RESTRICT ON UPDATE CASCADE,
    type variant_type NOT NULL,
    index text NOT NULL,
    props jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at timestamptz(3) NOT NULL,
    deleted_at timestamptz(3),
    CONSTRAINT variant_index_form CHECK (index ~ '^[A-Za-z0-9_-]{2,64}$'),
    -- A variant of the organization, without a track, overlaps those of all tracks. Indexes are ASCII, hence the collation:
    -- in some locales lower('I') is not 'i'.
    CONSTRAINT variant_index_taken EXCLUDE USING gist (
        organization_id WITH =,
        lower(index COLLATE "C") WITH =,
        uuid_range(track_id, track_id, '[]') WITH &&
    ) WHERE (deleted_at IS NULL)
);
CREATE INDEX variant_organization_id_created_at_id_idx ON variant (organization_id, created_at DESC, id DESC);
CREATE INDEX variant_track_id_idx ON variant (track_id);

CREATE TABLE track_file (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL,
    track_id uuid NOT NULL REFERENCES track ON DELETE RESTRICT ON UPDATE CASCADE,
    variant_id uuid NOT NULL REFERENCES variant ON DELETE RESTRICT ON UPDATE CASCADE,
    state track_file_state NOT NULL DEFAULT 'queued',
    status_code text,
    status_text text,
    path text,
    file_name text,
    content_type text,
    size bigint,
    sha256 text,
    is_public boolean NOT NULL DEFAULT false,
    data jsonb,
    props jsonb NOT NULL,
    completed_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at timestamptz(3) NOT NULL,
    index text,
    recipe jsonb,
    storage_key text,
    ffmpeg_version text,
    source_sha256 text,
    CONSTRAINT track_file_done_is_whole CHECK (
        state <> 'done' OR (path IS NOT NULL AND storage_key IS NOT NULL AND size IS NOT NULL AND content_type IS NOT NULL
            AND sha256 IS NOT NULL AND file_name IS NOT NULL AND completed_at IS NOT NULL)
    ),
    CONSTRAINT track_file_failed_has_reason CHECK (
        state <> 'failed' OR (status_code IS NOT NULL AND status_text IS NOT NULL)
    )
);
-- Equal for equal recipes. An index contains its results: a change needs a new function and a new index.
CREATE FUNCTION recipe_key(index text, recipe jsonb) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN coalesce(hashtextextended(index, jsonb_hash_extended(recipe, 0)), 0);
CREATE INDEX track_file_recipe ON track_file (variant_id, recipe_key(index, recipe)) WHERE state = 'done';
CREATE INDEX track_file_path_idx ON track_file (path);
CREATE UNIQUE INDEX track_file_storage_key_key ON track_file (storage_key);
CREATE UNIQUE INDEX track_file_track_id_variant_id_key ON track_file (track_id, variant_id);
CREATE INDEX track_file_variant_id_index_idx ON track_file (variant_id, index);
CREATE INDEX track_file_variant_id_lower_index_idx ON track_file (variant_id, lower(index COLLATE "C"));

CREATE TABLE track_sum (
    id bigserial PRIMARY KEY,
    organization_id uuid NOT NULL,
    collection_id uuid NOT NULL REFERENCES collection ON DELETE CASCADE ON UPDATE CASCADE,
    creator_id uuid,
    tracks integer NOT NULL,
    source_bytes bigint NOT NULL,
    file_bytes bigint NOT NULL,
    is_folded boolean NOT NULL DEFAULT false
);
CREATE INDEX track_sum_organization_id_collection_id_idx ON track_sum (organization_id, collection_id);
CREATE INDEX track_sum_unfolded ON track_sum (id) WHERE NOT is_folded;

CREATE TABLE unused_object (
    key text PRIMARY KEY,
    remove_after timestamptz(3) NOT NULL
);
CREATE INDEX unused_object_remove_after_idx ON unused_object (remove_after);

CREATE TABLE api_key (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organization ON DELETE RESTRICT ON UPDATE CASCADE,
    kind key_kind NOT NULL,
    title text NOT NULL,
    hash text NOT NULL,
    collection_id uuid REFERENCES collection ON DELETE RESTRICT ON UPDATE CASCADE,
    track_id uuid REFERENCES track ON DELETE RESTRICT ON UPDATE CASCADE,
    creator_id uuid REFERENCES creator ON DELETE RESTRICT ON UPDATE CASCADE,
    variant_id uuid REFERENCES variant ON DELETE RESTRICT ON UPDATE CASCADE,
    variants text[] DEFAULT ARRAY[]::text[],
    expires_at timestamptz(3),
    last_used_at timestamptz(3),
    revoked_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    is_downloadable boolean NOT NULL DEFAULT false,
    sealed_key text,
    CONSTRAINT api_key_player_is_downloadable CHECK (kind = 'player' OR NOT is_downloadable),
    CONSTRAINT api_key_player_lists_variants CHECK (kind = 'player' OR cardinality(variants) = 0),
    CONSTRAINT api_key_sealed_is_share CHECK (kind = 'share' OR sealed_key IS NULL),
    CONSTRAINT api_key_share_has_one_variant CHECK ((kind = 'share') = (variant_id IS NOT NULL)),
    CONSTRAINT api_key_track_with_collection CHECK (track_id IS NULL OR collection_id IS NOT NULL)
);
CREATE UNIQUE INDEX api_key_hash_key ON api_key (hash);
CREATE INDEX api_key_organization_id_created_at_id_idx ON api_key (organization_id, created_at DESC, id DESC);
CREATE INDEX api_key_track_id_idx ON api_key (track_id) WHERE track_id IS NOT NULL;

CREATE TABLE upload_session (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organization ON DELETE RESTRICT ON UPDATE CASCADE,
    collection_id uuid NOT NULL REFERENCES collection ON DELETE RESTRICT ON UPDATE CASCADE,
    creator_id uuid REFERENCES creator ON DELETE RESTRICT ON UPDATE CASCADE,
    organization_index text,
    metadata jsonb NOT NULL DEFAULT '{}',
    expires_at timestamptz(3) NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    key_id uuid REFERENCES api_key ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT upload_session_length CHECK (expires_at > created_at AND expires_at <= created_at + interval '86400 seconds'),
    CONSTRAINT upload_session_metadata_is_object CHECK (jsonb_typeof(metadata) = 'object')
);
CREATE INDEX upload_session_collection_id_idx ON upload_session (collection_id);
CREATE INDEX upload_session_creator_id_idx ON upload_session (creator_id);
CREATE INDEX upload_session_expires_at_idx ON upload_session (expires_at);
CREATE INDEX upload_session_key_id_idx ON upload_session (key_id);
CREATE INDEX upload_session_organization_id_idx ON upload_session (organization_id);

CREATE TABLE resumable_upload (
    track_id uuid PRIMARY KEY REFERENCES track ON DELETE CASCADE ON UPDATE CASCADE,
    received bigint NOT NULL DEFAULT 0,
    lease_id uuid,
    lease_ends_at timestamptz(3),
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT resumable_upload_lease_ends CHECK ((lease_id IS NULL) = (lease_ends_at IS NULL)),
    CONSTRAINT resumable_upload_received_is_count CHECK (received >= 0)
);
CREATE INDEX resumable_upload_expires_at_idx ON resumable_upload (expires_at);

CREATE TABLE source_pull (
    track_id uuid PRIMARY KEY REFERENCES track ON DELETE CASCADE ON UPDATE CASCADE,
    sealed_url text NOT NULL,
    is_file_name_given boolean NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    failures integer NOT NULL DEFAULT 0,
    tries integer NOT NULL DEFAULT 0,
    crashes integer NOT NULL DEFAULT 0,
    is_running boolean NOT NULL DEFAULT false,
    failing_since timestamptz(3)
);

CREATE TABLE batch (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organization ON DELETE RESTRICT ON UPDATE CASCADE,
    variant_id uuid NOT NULL REFERENCES variant ON DELETE RESTRICT ON UPDATE CASCADE,
    collection_id uuid,
    creator_id uuid,
    is_only_missing boolean NOT NULL DEFAULT false,
    total integer NOT NULL DEFAULT 0,
    cursor uuid,
    filled_at timestamptz(3),
    cancelled_at timestamptz(3),
    finished_at timestamptz(3),
    done_count integer NOT NULL DEFAULT 0,
    failed_count integer NOT NULL DEFAULT 0,
    cancelled_count integer NOT NULL DEFAULT 0,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT batch_counts CHECK (least(total, done_count, failed_count, cancelled_count) >= 0),
    CONSTRAINT batch_is_filled_when_finished CHECK (finished_at IS NULL OR filled_at IS NOT NULL)
);
CREATE INDEX batch_organization_id_created_at_id_idx ON batch (organization_id, created_at DESC, id DESC);
CREATE INDEX batch_variant_id_idx ON batch (variant_id);

CREATE TABLE job (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organization ON DELETE RESTRICT ON UPDATE CASCADE,
    kind job_kind NOT NULL,
    state job_state NOT NULL DEFAULT 'queued',
    track_id uuid REFERENCES track ON DELETE RESTRICT ON UPDATE CASCADE,
    collection_id uuid REFERENCES collection ON DELETE RESTRICT ON UPDATE CASCADE,
    variant_id uuid REFERENCES variant ON DELETE RESTRICT ON UPDATE CASCADE,
    attempts integer NOT NULL DEFAULT 0,
    error text,
    started_at timestamptz(3),
    finished_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    batch_id uuid REFERENCES batch ON DELETE RESTRICT ON UPDATE CASCADE,
    variant_ids uuid[] DEFAULT ARRAY[]::uuid[],
    crashes integer NOT NULL DEFAULT 0,
    retry_at timestamptz(3),
    failures integer NOT NULL DEFAULT 0,
    failing_since timestamptz(3),
    spent_seconds double precision NOT NULL DEFAULT 0,
    turns smallint NOT NULL DEFAULT 1
);
CREATE INDEX job_batch_id_state_idx ON job (batch_id, state);
CREATE INDEX job_collection_id_idx ON job (collection_id);
CREATE INDEX job_finished_at_idx ON job (finished_at);
-- For the turn of an organization's next job.
CREATE INDEX job_line ON job (organization_id) WHERE state IN ('queued', 'running') AND batch_id IS NULL;
CREATE INDEX job_organization_id_created_at_id_idx ON job (organization_id, created_at DESC, id DESC);
-- A track has one queued job for a file of a variant, in all batches.
CREATE UNIQUE INDEX job_queued_once ON job (track_id, variant_id)
    WHERE state = 'queued' AND kind = 'process_variant';
CREATE INDEX job_running ON job (variant_id) WHERE state = 'running';
CREATE INDEX job_slots ON job (organization_id) WHERE state IN ('queued', 'running');
CREATE INDEX job_track_id_idx ON job (track_id);
-- For the search of unfinished jobs that the queue has lost.
CREATE INDEX job_unfinished ON job (id) WHERE state IN ('queued', 'running');
CREATE INDEX job_variant_id_idx ON job (variant_id);

CREATE TABLE event (
    seq bigserial PRIMARY KEY,
    id uuid NOT NULL,
    organization_id uuid NOT NULL REFERENCES organization ON DELETE RESTRICT ON UPDATE CASCADE,
    type text NOT NULL,
    data jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    collection_id uuid,
    creator_id uuid,
    track_id uuid,
    is_numbered boolean NOT NULL DEFAULT false,
    origin jsonb
);
CREATE INDEX event_collection_id_seq_idx ON event (collection_id, seq);
CREATE INDEX event_created_at_idx ON event (created_at);
CREATE INDEX event_creator_id_seq_idx ON event (creator_id, seq);
CREATE UNIQUE INDEX event_id_key ON event (id);
CREATE INDEX event_organization_id_seq_idx ON event (organization_id, seq);
CREATE INDEX event_unnumbered ON event (organization_id, seq) WHERE NOT is_numbered;

CREATE TABLE webhook_endpoint (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organization ON DELETE RESTRICT ON UPDATE CASCADE,
    url text NOT NULL,
    secrets text[],
    event_types text[] DEFAULT ARRAY[]::text[],
    failing_since timestamptz(3),
    disabled_at timestamptz(3),
    disabled_reason text,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at timestamptz(3) NOT NULL,
    secrets_expire_at timestamptz(3)[] DEFAULT ARRAY[]::timestamptz(3)[],
    concurrency integer NOT NULL DEFAULT 4,
    give_up_before timestamptz(3),
    deleted_at timestamptz(3),
    CONSTRAINT webhook_endpoint_concurrency_range CHECK (concurrency BETWEEN 4 AND 256),
    CONSTRAINT webhook_endpoint_has_secret CHECK (cardinality(secrets) >= 1),
    CONSTRAINT webhook_endpoint_old_secrets_end CHECK (
        cardinality(coalesce(secrets_expire_at, '{}')) = cardinality(secrets) - 1
    )
);
CREATE INDEX webhook_endpoint_organization_id_created_at_id_idx ON webhook_endpoint (organization_id, created_at, id);

CREATE TABLE webhook_delivery (
    id uuid PRIMARY KEY,
    endpoint_id uuid NOT NULL REFERENCES webhook_endpoint ON DELETE CASCADE ON UPDATE CASCADE,
    event_id uuid NOT NULL REFERENCES event (id) ON DELETE CASCADE ON UPDATE CASCADE,
    state delivery_state NOT NULL DEFAULT 'pending',
    attempt_count integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz(3),
    delivered_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    organization_id uuid NOT NULL REFERENCES organization ON DELETE RESTRICT ON UPDATE CASCADE,
    attempts_before integer NOT NULL DEFAULT 0,
    claim_id uuid,
    requested_at timestamptz(3)
);
CREATE INDEX webhook_delivery_endpoint_id_created_at_id_idx ON webhook_delivery (endpoint_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX webhook_delivery_endpoint_id_event_id_key ON webhook_delivery (endpoint_id, event_id);
CREATE INDEX webhook_delivery_event_id_idx ON webhook_delivery (event_id);
CREATE INDEX webhook_delivery_organization_id_created_at_id_idx
    ON webhook_delivery (organization_id, created_at DESC, id DESC);
CREATE INDEX webhook_delivery_pending ON webhook_delivery (endpoint_id, next_attempt_at) WHERE state = 'pending';
CREATE INDEX webhook_delivery_under_way ON webhook_delivery (endpoint_id) WHERE claim_id IS NOT NULL;

CREATE TABLE webhook_attempt (
    id uuid PRIMARY KEY,
    delivery_id uuid NOT NULL REFERENCES webhook_delivery ON DELETE CASCADE ON UPDATE CASCADE,
    number integer NOT NULL,
    status integer,
    duration_ms integer NOT NULL,
    answer text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX webhook_attempt_delivery_id_number_key ON webhook_attempt (delivery_id, number);

CREATE TABLE play_session (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organization ON DELETE RESTRICT ON UPDATE CASCADE,
    collection_id uuid REFERENCES collection ON DELETE RESTRICT ON UPDATE CASCADE,
    track_id uuid REFERENCES track ON DELETE RESTRICT ON UPDATE CASCADE,
    creator_id uuid REFERENCES creator ON DELETE RESTRICT ON UPDATE CASCADE,
    organization_index text,
    metadata jsonb NOT NULL DEFAULT '{}',
    variants text[] DEFAULT ARRAY[]::text[],
    is_downloadable boolean NOT NULL DEFAULT false,
    expires_at timestamptz(3) NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    key_id uuid REFERENCES api_key ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT play_session_has_one_scope CHECK (num_nonnulls(collection_id, track_id) = 1),
    CONSTRAINT play_session_length CHECK (expires_at > created_at AND expires_at <= created_at + interval '86400 seconds'),
    CONSTRAINT play_session_metadata_is_object CHECK (jsonb_typeof(metadata) = 'object')
);
CREATE INDEX play_session_expires_at_idx ON play_session (expires_at);
CREATE INDEX play_session_organization_id_idx ON play_session (organization_id);

CREATE TABLE play_event (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    key_id uuid NOT NULL,
    track_id uuid NOT NULL,
    variant_id uuid NOT NULL,
    collection_id uuid NOT NULL,
    creator_id uuid,
    created_at timestamptz(3) NOT NULL,
    listener uuid,
    referrer_host text,
    exclusion play_exclusion,
    PRIMARY KEY (organization_id, created_at, id)
) PARTITION BY RANGE (created_at);
-- Summarized as rows are written: otherwise a vacuum would add the newest pages.
CREATE INDEX play_event_created_at_idx ON play_event USING brin (created_at) WITH (autosummarize = on);
-- Contains plays of months without a partition: a play is counted even if the partition was not created in time.
CREATE TABLE ledger.play_event_rest PARTITION OF play_event DEFAULT;
-- The current month and the next two. The function `add_month` creates the others.
DO $$
DECLARE
    starts timestamptz := date_trunc('month', now(), 'UTC');
    ends timestamptz;
BEGIN
    FOR n IN 0..2 LOOP
        ends := (starts AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC';
        EXECUTE format('CREATE TABLE ledger.%I PARTITION OF play_event FOR VALUES FROM (%L) TO (%L)',
            'play_event_' || to_char(starts AT TIME ZONE 'UTC', 'YYYY_MM'), starts, ends);
        starts := ends;
    END LOOP;
END
$$;

CREATE TABLE last_listen (
    listener uuid NOT NULL,
    track_id uuid NOT NULL,
    variant_id uuid NOT NULL,
    heard_at timestamptz(3) NOT NULL,
    PRIMARY KEY (listener, track_id, variant_id)
);
CREATE INDEX last_listen_heard_at_idx ON last_listen USING brin (heard_at);

CREATE TABLE listener_key (
    day date PRIMARY KEY,
    sealed_key text NOT NULL
);

-- Rows of the sums have many parts, which most queries do not read: stored outside of the row.
CREATE TABLE play_day (
    organization_id uuid NOT NULL,
    day date NOT NULL,
    requests bigint NOT NULL,
    listens bigint NOT NULL,
    parts play_part[] NOT NULL,
    CONSTRAINT play_day_listens CHECK (listens BETWEEN 0 AND requests)
) WITH (toast_tuple_target = 128);
CREATE UNIQUE INDEX play_day_organization_id_day_key ON play_day (organization_id, day);

CREATE TABLE play_day_creator (
    organization_id uuid NOT NULL,
    day date NOT NULL,
    creator_id uuid,
    requests bigint NOT NULL,
    listens bigint NOT NULL,
    parts play_part[] NOT NULL,
    CONSTRAINT play_day_creator_listens CHECK (listens BETWEEN 0 AND requests)
) WITH (toast_tuple_target = 128);
CREATE UNIQUE INDEX play_day_creator_organization_id_day_creator_id_key
    ON play_day_creator (organization_id, day, creator_id) NULLS NOT DISTINCT;

CREATE TABLE play_day_collection (
    organization_id uuid NOT NULL,
    day date NOT NULL,
    collection_id uuid NOT NULL,
    creator_id uuid,
    requests bigint NOT NULL,
    listens bigint NOT NULL,
    parts play_part[] NOT NULL,
    CONSTRAINT play_day_collection_listens CHECK (listens BETWEEN 0 AND requests)
) WITH (toast_tuple_target = 128);
CREATE UNIQUE INDEX play_day_collection_organization_id_day_collection_id_creat_key
    ON play_day_collection (organization_id, day, collection_id, creator_id) NULLS NOT DISTINCT;

CREATE TABLE play_day_track (
    organization_id uuid NOT NULL,
    day date NOT NULL,
    track_id uuid NOT NULL,
    collection_id uuid NOT NULL,
    creator_id uuid,
    requests bigint NOT NULL,
    listens bigint NOT NULL,
    parts play_part[] NOT NULL,
    CONSTRAINT play_day_track_listens CHECK (listens BETWEEN 0 AND requests)
);
CREATE UNIQUE INDEX play_day_track_organization_id_day_track_id_collection_id_c_key
    ON play_day_track (organization_id, day, track_id, collection_id, creator_id) NULLS NOT DISTINCT;

CREATE TABLE play_counted (
    id boolean PRIMARY KEY DEFAULT true,
    ledger_from timestamptz(3),
    summed_to timestamptz(3) NOT NULL,
    CONSTRAINT play_counted_one CHECK (id)
);

CREATE TABLE play_archive (
    storage_key text PRIMARY KEY,
    month date NOT NULL,
    rows bigint NOT NULL,
    bytes bigint NOT NULL,
    sha256 text NOT NULL,
    archived_at timestamptz(3) NOT NULL,
    CONSTRAINT play_archive_month_first CHECK (extract(day FROM month) = 1)
);
CREATE INDEX play_archive_month_idx ON play_archive (month);

CREATE TABLE processing_time (
    job_id uuid PRIMARY KEY,
    organization_id uuid NOT NULL,
    creator_id uuid,
    collection_id uuid,
    track_id uuid,
    finished_at timestamptz(3) NOT NULL,
    seconds double precision NOT NULL,
    jobs integer NOT NULL DEFAULT 1
);
CREATE INDEX processing_time_organization_id_finished_at_idx ON processing_time (organization_id, finished_at);

-- Changes after which an address may deliver another file, or none. An edge finds those that were not visible in the
-- snapshot of the database that it has seen last. Rows are deleted after a day.
CREATE TABLE ledger.delivery_change (
    transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
    -- ID of an organization, variant, collection or track.
    subject uuid NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX delivery_change_transaction_id_idx ON ledger.delivery_change (transaction_id);
