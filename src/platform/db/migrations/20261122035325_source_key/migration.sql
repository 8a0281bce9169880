-- AlterTable
ALTER TABLE "track" ADD COLUMN     "source_key" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "track_source_key_key" ON "track"("source_key");
