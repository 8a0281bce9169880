-- Attempts that failed for a fault of the service or the host. Those that a stop or a crash has ended are attempts, but no
-- failures.
ALTER TABLE "job" ADD COLUMN "failures" INTEGER NOT NULL DEFAULT 0;
