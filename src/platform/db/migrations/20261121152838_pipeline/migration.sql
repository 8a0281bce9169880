-- AlterEnum
-- This migration adds more than one value to an enum.
-- With PostgreSQL versions 11 and earlier, this is not possible
-- in a single migration. This can be worked around by creating
-- multiple migrations, each migration adding only one value to
-- the enum.


ALTER TYPE "job_kind" ADD VALUE 'process_organization_cover';
ALTER TYPE "job_kind" ADD VALUE 'rebuild_track';

-- AlterTable
ALTER TABLE "organization" ADD COLUMN     "cover" JSONB,
ADD COLUMN     "cover_uploaded_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "track" ADD COLUMN     "analysis" JSONB;

-- AlterTable
ALTER TABLE "track_file" ADD COLUMN     "ffmpeg_version" TEXT,
ADD COLUMN     "source_sha256" TEXT;
