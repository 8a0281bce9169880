-- Slots for processing of each worker pool, and the unfinished jobs of each organization.
ALTER TABLE "worker_pool" ADD COLUMN "slots" INTEGER NOT NULL DEFAULT 0;
CREATE INDEX "job_slots" ON "job" ("organization_id") WHERE "state" IN ('queued', 'running');
