-- AlterEnum
ALTER TYPE "job_state" ADD VALUE 'cancelled';

-- DropIndex
DROP INDEX "job_organization_id_created_at_idx";

-- DropIndex
DROP INDEX "track_file_path_key";

-- DropIndex
DROP INDEX "track_file_variant_id_idx";

-- AlterTable
ALTER TABLE "job" ADD COLUMN     "batch_id" UUID;

-- AlterTable
ALTER TABLE "track_file" ADD COLUMN     "index" TEXT,
ADD COLUMN     "recipe" JSONB,
ADD COLUMN     "storage_key" TEXT;

-- CreateTable
CREATE TABLE "unused_object" (
    "key" TEXT NOT NULL,
    "remove_after" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "unused_object_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "batch" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "variant_id" UUID NOT NULL,
    "collection_id" UUID,
    "creator_id" UUID,
    "is_only_missing" BOOLEAN NOT NULL DEFAULT false,
    "total" INTEGER NOT NULL DEFAULT 0,
    "cursor" UUID,
    "filled_at" TIMESTAMPTZ(3),
    "cancelled_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "done_count" INTEGER NOT NULL DEFAULT 0,
    "failed_count" INTEGER NOT NULL DEFAULT 0,
    "cancelled_count" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "batch_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "unused_object_remove_after_idx" ON "unused_object"("remove_after");

-- CreateIndex
CREATE INDEX "batch_organization_id_created_at_id_idx" ON "batch"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "batch_variant_id_idx" ON "batch"("variant_id");

-- CreateIndex
CREATE INDEX "job_organization_id_created_at_id_idx" ON "job"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "job_batch_id_state_idx" ON "job"("batch_id", "state");

-- CreateIndex
CREATE INDEX "job_finished_at_idx" ON "job"("finished_at");

-- CreateIndex
CREATE UNIQUE INDEX "track_file_storage_key_key" ON "track_file"("storage_key");

-- CreateIndex
CREATE INDEX "track_file_path_idx" ON "track_file"("path");

-- CreateIndex
CREATE INDEX "track_file_variant_id_index_idx" ON "track_file"("variant_id", "index");

-- AddForeignKey
ALTER TABLE "batch" ADD CONSTRAINT "batch_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "batch" ADD CONSTRAINT "batch_variant_id_fkey" FOREIGN KEY ("variant_id") REFERENCES "variant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job" ADD CONSTRAINT "job_batch_id_fkey" FOREIGN KEY ("batch_id") REFERENCES "batch"("id") ON DELETE RESTRICT ON UPDATE CASCADE;


-- Until now no variant could be changed: what a file was made by is what its variant still says.
UPDATE "track_file" f SET "index" = v."index", "recipe" = v."props"
FROM "variant" v WHERE v."id" = f."variant_id" AND f."state" = 'done';

ALTER TABLE "batch"
    ADD CONSTRAINT "batch_counts" CHECK (least("total", "done_count", "failed_count", "cancelled_count") >= 0),
    ADD CONSTRAINT "batch_is_filled_when_finished" CHECK ("finished_at" IS NULL OR "filled_at" IS NOT NULL);

-- However many batches name a track, it waits for one file of a variant only once.
CREATE UNIQUE INDEX "job_queued_once" ON "job" ("track_id", "variant_id") WHERE "state" = 'queued' AND "kind" = 'process_variant';
-- Few are running at any time, however many there are of a variant.
CREATE INDEX "job_running" ON "job" ("variant_id") WHERE "state" = 'running';
