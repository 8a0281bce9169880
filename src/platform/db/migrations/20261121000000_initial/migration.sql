-- CreateEnum
CREATE TYPE "track_status" AS ENUM ('initialized', 'processing', 'fallback_processing', 'ready', 'incomplete', 'error', 'init_error');

-- CreateEnum
CREATE TYPE "track_file_state" AS ENUM ('queued', 'processing', 'done', 'failed');

-- CreateEnum
CREATE TYPE "variant_type" AS ENUM ('transcode', 'preview', 'levels', 'waveform_image', 'waveform_video', 'original', 'cover');

-- CreateEnum
CREATE TYPE "key_kind" AS ENUM ('api', 'uploader', 'player', 'share');

-- CreateEnum
CREATE TYPE "administrator_role" AS ENUM ('owner', 'admin', 'viewer');

-- CreateEnum
CREATE TYPE "job_kind" AS ENUM ('process_track', 'process_variant', 'process_track_cover', 'process_collection_cover');

-- CreateEnum
CREATE TYPE "job_state" AS ENUM ('queued', 'running', 'done', 'failed');

-- CreateEnum
CREATE TYPE "delivery_state" AS ENUM ('pending', 'delivered', 'failed');

-- CreateTable
CREATE TABLE "organization" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "signing_secrets" TEXT[],
    "theme" JSONB NOT NULL DEFAULT '[]',
    "is_theme_overridable" BOOLEAN NOT NULL DEFAULT true,
    "is_cover_overridable" BOOLEAN NOT NULL DEFAULT true,
    "player_color" TEXT NOT NULL DEFAULT '#5b5bd6',
    "player_subtitle" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "organization_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "folder" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "folder_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "creator" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "folder_id" UUID NOT NULL,
    "organization_index" TEXT NOT NULL,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "creator_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "collection" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "creator_id" UUID,
    "title" TEXT NOT NULL,
    "organization_index" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "theme" JSONB NOT NULL DEFAULT '[]',
    "is_cover_overridable" BOOLEAN NOT NULL DEFAULT true,
    "is_theme_overridable" BOOLEAN NOT NULL DEFAULT true,
    "player_color" TEXT,
    "player_subtitle" TEXT,
    "cover" JSONB,
    "cover_uploaded_at" TIMESTAMPTZ(3),
    "next_track_order" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "collection_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "track" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "collection_id" UUID NOT NULL,
    "creator_id" UUID,
    "upload_session_id" UUID,
    "index" TEXT NOT NULL,
    "order" INTEGER NOT NULL,
    "status" "track_status" NOT NULL DEFAULT 'initialized',
    "status_code" TEXT,
    "status_text" TEXT,
    "file_name" TEXT NOT NULL,
    "file_name_original" TEXT,
    "duration_seconds" DOUBLE PRECISION,
    "info" JSONB,
    "organization_index" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "player_title" TEXT,
    "player_subtitle" TEXT,
    "player_color" TEXT,
    "theme" JSONB NOT NULL DEFAULT '[]',
    "transcription" TEXT,
    "transcription_language" TEXT,
    "base_path" TEXT NOT NULL,
    "upload_expires_at" TIMESTAMPTZ(3) NOT NULL,
    "upload_began_at" TIMESTAMPTZ(3),
    "upload_completed_at" TIMESTAMPTZ(3),
    "source_sha256" TEXT,
    "source_bytes" BIGINT,
    "cover_uploaded_at" TIMESTAMPTZ(3),
    "files_completed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),
    "purged_at" TIMESTAMPTZ(3),

    CONSTRAINT "track_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "variant" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "track_id" UUID,
    "type" "variant_type" NOT NULL,
    "index" TEXT NOT NULL,
    "props" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "variant_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "track_file" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "track_id" UUID NOT NULL,
    "variant_id" UUID NOT NULL,
    "state" "track_file_state" NOT NULL DEFAULT 'queued',
    "status_code" TEXT,
    "status_text" TEXT,
    "path" TEXT,
    "file_name" TEXT,
    "content_type" TEXT,
    "size" BIGINT,
    "sha256" TEXT,
    "is_public" BOOLEAN NOT NULL DEFAULT false,
    "data" JSONB,
    "props" JSONB NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "track_file_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "upload_session" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "collection_id" UUID NOT NULL,
    "creator_id" UUID,
    "organization_index" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "upload_session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "kind" "key_kind" NOT NULL,
    "title" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "collection_id" UUID,
    "track_id" UUID,
    "creator_id" UUID,
    "variant_id" UUID,
    "variants" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "administrator" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "role" "administrator_role" NOT NULL DEFAULT 'admin',
    "last_sign_in_at" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "administrator_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "play_session" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "collection_id" UUID,
    "track_id" UUID,
    "creator_id" UUID,
    "organization_index" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "variants" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "is_downloadable" BOOLEAN NOT NULL DEFAULT false,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "play_session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "play_event" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "track_id" UUID NOT NULL,
    "variant_id" UUID NOT NULL,
    "collection_id" UUID NOT NULL,
    "creator_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "play_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event" (
    "seq" BIGSERIAL NOT NULL,
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "webhook_endpoint" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "secrets" TEXT[],
    "event_types" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "failing_since" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),
    "disabled_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_endpoint_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "state" "delivery_state" NOT NULL DEFAULT 'pending',
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "delivered_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_attempt" (
    "id" UUID NOT NULL,
    "delivery_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "status" INTEGER,
    "duration_ms" INTEGER NOT NULL,
    "answer" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_attempt_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "job" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "kind" "job_kind" NOT NULL,
    "state" "job_state" NOT NULL DEFAULT 'queued',
    "track_id" UUID,
    "collection_id" UUID,
    "variant_id" UUID,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "job_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_key" (
    "organization_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "status" INTEGER,
    "body" TEXT,
    "locked_until" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("key_id","key")
);

-- CreateTable
CREATE TABLE "rate_limit" (
    "key" VARCHAR(255) NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,

    CONSTRAINT "rate_limit_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "folder_organization_id_idx" ON "folder"("organization_id");

-- CreateIndex
CREATE UNIQUE INDEX "creator_folder_id_key" ON "creator"("folder_id");

-- CreateIndex
CREATE INDEX "creator_organization_id_created_at_id_idx" ON "creator"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "collection_organization_id_created_at_id_idx" ON "collection"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "collection_organization_id_organization_index_idx" ON "collection"("organization_id", "organization_index");

-- CreateIndex
CREATE INDEX "collection_creator_id_deleted_at_idx" ON "collection"("creator_id", "deleted_at");

-- CreateIndex
CREATE UNIQUE INDEX "track_base_path_key" ON "track"("base_path");

-- CreateIndex
CREATE INDEX "track_organization_id_created_at_id_idx" ON "track"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "track_collection_id_created_at_id_idx" ON "track"("collection_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "track_organization_id_organization_index_idx" ON "track"("organization_id", "organization_index");

-- CreateIndex
CREATE INDEX "track_creator_id_deleted_at_idx" ON "track"("creator_id", "deleted_at");

-- CreateIndex
CREATE INDEX "track_upload_session_id_idx" ON "track"("upload_session_id");

-- CreateIndex
CREATE UNIQUE INDEX "track_organization_id_index_key" ON "track"("organization_id", "index");

-- CreateIndex
CREATE INDEX "variant_organization_id_created_at_id_idx" ON "variant"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "variant_track_id_idx" ON "variant"("track_id");

-- CreateIndex
CREATE UNIQUE INDEX "track_file_path_key" ON "track_file"("path");

-- CreateIndex
CREATE INDEX "track_file_variant_id_idx" ON "track_file"("variant_id");

-- CreateIndex
CREATE UNIQUE INDEX "track_file_track_id_variant_id_key" ON "track_file"("track_id", "variant_id");

-- CreateIndex
CREATE INDEX "upload_session_organization_id_idx" ON "upload_session"("organization_id");

-- CreateIndex
CREATE INDEX "upload_session_collection_id_idx" ON "upload_session"("collection_id");

-- CreateIndex
CREATE INDEX "upload_session_creator_id_idx" ON "upload_session"("creator_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key"("hash");

-- CreateIndex
CREATE INDEX "api_key_organization_id_created_at_id_idx" ON "api_key"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "administrator_organization_id_idx" ON "administrator"("organization_id");

-- CreateIndex
CREATE INDEX "play_session_organization_id_idx" ON "play_session"("organization_id");

-- CreateIndex
CREATE INDEX "play_event_organization_id_created_at_idx" ON "play_event"("organization_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "event_id_key" ON "event"("id");

-- CreateIndex
CREATE INDEX "event_organization_id_seq_idx" ON "event"("organization_id", "seq");

-- CreateIndex
CREATE INDEX "webhook_endpoint_organization_id_created_at_idx" ON "webhook_endpoint"("organization_id", "created_at");

-- CreateIndex
CREATE INDEX "webhook_delivery_event_id_idx" ON "webhook_delivery"("event_id");

-- CreateIndex
CREATE INDEX "webhook_delivery_endpoint_id_created_at_idx" ON "webhook_delivery"("endpoint_id", "created_at" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "webhook_delivery_endpoint_id_event_id_key" ON "webhook_delivery"("endpoint_id", "event_id");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_attempt_delivery_id_number_key" ON "webhook_attempt"("delivery_id", "number");

-- CreateIndex
CREATE INDEX "job_organization_id_created_at_idx" ON "job"("organization_id", "created_at" DESC);

-- CreateIndex
CREATE INDEX "job_track_id_idx" ON "job"("track_id");

-- CreateIndex
CREATE INDEX "job_collection_id_idx" ON "job"("collection_id");

-- CreateIndex
CREATE INDEX "job_variant_id_idx" ON "job"("variant_id");

-- CreateIndex
CREATE INDEX "idempotency_key_created_at_idx" ON "idempotency_key"("created_at");

-- AddForeignKey
ALTER TABLE "folder" ADD CONSTRAINT "folder_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "creator" ADD CONSTRAINT "creator_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "creator" ADD CONSTRAINT "creator_folder_id_fkey" FOREIGN KEY ("folder_id") REFERENCES "folder"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "collection" ADD CONSTRAINT "collection_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "collection" ADD CONSTRAINT "collection_creator_id_fkey" FOREIGN KEY ("creator_id") REFERENCES "creator"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "track" ADD CONSTRAINT "track_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "track" ADD CONSTRAINT "track_collection_id_fkey" FOREIGN KEY ("collection_id") REFERENCES "collection"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "track" ADD CONSTRAINT "track_creator_id_fkey" FOREIGN KEY ("creator_id") REFERENCES "creator"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "track" ADD CONSTRAINT "track_upload_session_id_fkey" FOREIGN KEY ("upload_session_id") REFERENCES "upload_session"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "variant" ADD CONSTRAINT "variant_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "variant" ADD CONSTRAINT "variant_track_id_fkey" FOREIGN KEY ("track_id") REFERENCES "track"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "track_file" ADD CONSTRAINT "track_file_track_id_fkey" FOREIGN KEY ("track_id") REFERENCES "track"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "track_file" ADD CONSTRAINT "track_file_variant_id_fkey" FOREIGN KEY ("variant_id") REFERENCES "variant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload_session" ADD CONSTRAINT "upload_session_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload_session" ADD CONSTRAINT "upload_session_collection_id_fkey" FOREIGN KEY ("collection_id") REFERENCES "collection"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload_session" ADD CONSTRAINT "upload_session_creator_id_fkey" FOREIGN KEY ("creator_id") REFERENCES "creator"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_collection_id_fkey" FOREIGN KEY ("collection_id") REFERENCES "collection"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_track_id_fkey" FOREIGN KEY ("track_id") REFERENCES "track"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_creator_id_fkey" FOREIGN KEY ("creator_id") REFERENCES "creator"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_variant_id_fkey" FOREIGN KEY ("variant_id") REFERENCES "variant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "administrator" ADD CONSTRAINT "administrator_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "play_session" ADD CONSTRAINT "play_session_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event" ADD CONSTRAINT "event_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_endpoint" ADD CONSTRAINT "webhook_endpoint_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "webhook_endpoint"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "event"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_attempt" ADD CONSTRAINT "webhook_attempt_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "webhook_delivery"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job" ADD CONSTRAINT "job_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job" ADD CONSTRAINT "job_track_id_fkey" FOREIGN KEY ("track_id") REFERENCES "track"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job" ADD CONSTRAINT "job_collection_id_fkey" FOREIGN KEY ("collection_id") REFERENCES "collection"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job" ADD CONSTRAINT "job_variant_id_fkey" FOREIGN KEY ("variant_id") REFERENCES "variant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What Prisma cannot express: the rules that must hold under concurrency.

ALTER TABLE "organization"
    ADD CONSTRAINT "organization_player_color_is_hex" CHECK ("player_color" ~ '^#[0-9a-f]{6}$'),
    ADD CONSTRAINT "organization_has_signing_secret" CHECK (cardinality("signing_secrets") >= 1);

CREATE UNIQUE INDEX "creator_organization_index_taken" ON "creator" ("organization_id", "organization_index") WHERE "deleted_at" IS NULL;

ALTER TABLE "creator"
    ADD CONSTRAINT "creator_metadata_is_object" CHECK (jsonb_typeof("metadata") = 'object');

ALTER TABLE "collection"
    ADD CONSTRAINT "collection_player_color_is_hex" CHECK ("player_color" ~ '^#[0-9a-f]{6}$'),
    ADD CONSTRAINT "collection_metadata_is_object" CHECK (jsonb_typeof("metadata") = 'object');

ALTER TABLE "track"
    ADD CONSTRAINT "track_player_color_is_hex" CHECK ("player_color" ~ '^#[0-9a-f]{6}$'),
    ADD CONSTRAINT "track_metadata_is_object" CHECK (jsonb_typeof("metadata") = 'object'),
    ADD CONSTRAINT "track_upload_is_whole" CHECK (
        ("upload_completed_at" IS NULL) = ("source_bytes" IS NULL)
    ),
    ADD CONSTRAINT "track_failure_has_reason" CHECK (
        "status" NOT IN ('error', 'init_error') OR ("status_code" IS NOT NULL AND "status_text" IS NOT NULL)
    );

-- What the hourly sweep of unused upload addresses and the removal of deleted bytes look for.
CREATE INDEX "track_waiting_for_upload" ON "track" ("upload_expires_at") WHERE "status" = 'initialized' AND "upload_completed_at" IS NULL AND "deleted_at" IS NULL;
CREATE INDEX "track_waiting_for_purge" ON "track" ("deleted_at") WHERE "deleted_at" IS NOT NULL AND "purged_at" IS NULL;

-- One name, two scopes: an organization-wide variant (no track) overlaps every track's.
CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE TYPE "uuid_range" AS RANGE (subtype = uuid);

ALTER TABLE "variant"
    ADD CONSTRAINT "variant_index_form" CHECK ("index" ~ '^[A-Za-z0-9_-]{2,64}$'),
    ADD CONSTRAINT "variant_index_taken" EXCLUDE USING gist (
        "organization_id" WITH =,
        "index" WITH =,
        uuid_range("track_id", "track_id", '[]') WITH &&
    ) WHERE ("deleted_at" IS NULL);

ALTER TABLE "track_file"
    ADD CONSTRAINT "track_file_done_is_whole" CHECK (
        "state" <> 'done' OR ("path" IS NOT NULL AND "size" IS NOT NULL AND "content_type" IS NOT NULL
            AND "sha256" IS NOT NULL AND "file_name" IS NOT NULL AND "completed_at" IS NOT NULL)
    ),
    ADD CONSTRAINT "track_file_failed_has_reason" CHECK (
        "state" <> 'failed' OR ("status_code" IS NOT NULL AND "status_text" IS NOT NULL)
    );

ALTER TABLE "upload_session"
    ADD CONSTRAINT "upload_session_metadata_is_object" CHECK (jsonb_typeof("metadata") = 'object'),
    ADD CONSTRAINT "upload_session_length" CHECK (
        "expires_at" BETWEEN "created_at" + interval '60 seconds' AND "created_at" + interval '86400 seconds'
    );

ALTER TABLE "api_key"
    ADD CONSTRAINT "api_key_share_has_one_variant" CHECK (("kind" = 'share') = ("variant_id" IS NOT NULL)),
    ADD CONSTRAINT "api_key_track_with_collection" CHECK ("track_id" IS NULL OR "collection_id" IS NOT NULL),
    ADD CONSTRAINT "api_key_player_lists_variants" CHECK ("kind" = 'player' OR cardinality("variants") = 0);

CREATE UNIQUE INDEX "administrator_email_taken" ON "administrator" (lower("email"));

ALTER TABLE "play_session"
    ADD CONSTRAINT "play_session_has_one_scope" CHECK (num_nonnulls("collection_id", "track_id") = 1);

ALTER TABLE "webhook_endpoint"
    ADD CONSTRAINT "webhook_endpoint_has_secret" CHECK (cardinality("secrets") >= 1);
