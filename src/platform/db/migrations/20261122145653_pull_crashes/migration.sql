-- AlterTable
ALTER TABLE "source_pull" DROP COLUMN "attempts",
ADD COLUMN     "crashes" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "is_running" BOOLEAN NOT NULL DEFAULT false;
