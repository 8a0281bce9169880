-- For the turn of an organization's next job.
CREATE INDEX "job_line" ON "job" ("organization_id") WHERE "state" IN ('queued', 'running') AND "batch_id" IS NULL;
