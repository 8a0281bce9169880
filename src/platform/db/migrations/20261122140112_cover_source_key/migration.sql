-- AlterTable
ALTER TABLE "collection" ADD COLUMN     "cover_source_key" TEXT;

-- AlterTable
ALTER TABLE "organization" ADD COLUMN     "cover_source_key" TEXT;

-- AlterTable
ALTER TABLE "track" ADD COLUMN     "cover_source_key" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "collection_cover_source_key_key" ON "collection"("cover_source_key");

-- CreateIndex
CREATE UNIQUE INDEX "organization_cover_source_key_key" ON "organization"("cover_source_key");

-- CreateIndex
CREATE UNIQUE INDEX "track_cover_source_key_key" ON "track"("cover_source_key");
