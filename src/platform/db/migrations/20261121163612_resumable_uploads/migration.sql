-- AlterTable
ALTER TABLE "track" ADD COLUMN     "announced_bytes" BIGINT;

-- CreateTable
CREATE TABLE "resumable_upload" (
    "track_id" UUID NOT NULL,
    "received" BIGINT NOT NULL DEFAULT 0,
    "holder" UUID,
    "held_until" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "resumable_upload_pkey" PRIMARY KEY ("track_id")
);

-- CreateTable
CREATE TABLE "source_pull" (
    "track_id" UUID NOT NULL,
    "sealed_url" TEXT NOT NULL,
    "is_file_name_given" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "source_pull_pkey" PRIMARY KEY ("track_id")
);

-- CreateIndex
CREATE INDEX "resumable_upload_expires_at_idx" ON "resumable_upload"("expires_at");

-- AddForeignKey
ALTER TABLE "resumable_upload" ADD CONSTRAINT "resumable_upload_track_id_fkey" FOREIGN KEY ("track_id") REFERENCES "track"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "source_pull" ADD CONSTRAINT "source_pull_track_id_fkey" FOREIGN KEY ("track_id") REFERENCES "track"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "track" ADD CONSTRAINT "track_announced_bytes_is_positive" CHECK ("announced_bytes" > 0);

ALTER TABLE "resumable_upload" ADD CONSTRAINT "resumable_upload_received_is_count" CHECK ("received" >= 0);
-- Whoever holds it does so until a time: a holder that dies holds it no longer.
ALTER TABLE "resumable_upload" ADD CONSTRAINT "resumable_upload_holder_has_end" CHECK (("holder" IS NULL) = ("held_until" IS NULL));
