-- AlterTable
ALTER TABLE "job" ADD COLUMN     "crashes" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "retry_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "source_pull" ADD COLUMN     "attempts" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "failures" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "tries" INTEGER NOT NULL DEFAULT 0;

-- For the search of unfinished jobs that the queue has lost.
CREATE INDEX "job_unfinished" ON "job" ("id") WHERE "state" IN ('queued', 'running');
