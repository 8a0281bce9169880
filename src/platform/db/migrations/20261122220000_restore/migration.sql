-- AlterTable
ALTER TABLE "collection" ADD COLUMN     "restoring_from" TIMESTAMPTZ(3);

-- Lists of what can be restored, the latest deletion first.
CREATE INDEX "track_deleted" ON "track" ("organization_id", "deleted_at" DESC, "id" DESC) WHERE "deleted_at" IS NOT NULL AND "purged_at" IS NULL;
CREATE INDEX "collection_deleted" ON "collection" ("organization_id", "deleted_at" DESC, "id" DESC) WHERE "deleted_at" IS NOT NULL;
