-- CreateEnum
CREATE TYPE "podcast_type" AS ENUM ('episodic', 'serial');

-- CreateEnum
CREATE TYPE "episode_type" AS ENUM ('full', 'trailer', 'bonus');

-- AlterTable
ALTER TABLE "collection" ADD COLUMN     "author" TEXT,
ADD COLUMN     "description" TEXT,
ADD COLUMN     "is_explicit" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "language" TEXT,
ADD COLUMN     "owner_email" TEXT,
ADD COLUMN     "owner_name" TEXT,
ADD COLUMN     "podcast_category" TEXT,
ADD COLUMN     "podcast_type" "podcast_type" NOT NULL DEFAULT 'serial';

-- AlterTable
ALTER TABLE "track" ADD COLUMN     "description" TEXT,
ADD COLUMN     "episode" INTEGER,
ADD COLUMN     "episode_type" "episode_type" NOT NULL DEFAULT 'full',
ADD COLUMN     "is_explicit" BOOLEAN,
ADD COLUMN     "published_at" TIMESTAMPTZ(3),
ADD COLUMN     "season" INTEGER;
