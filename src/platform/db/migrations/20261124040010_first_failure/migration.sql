-- Time of the first attempt that failed or ended with its worker: work is given up 25 hours later.
ALTER TABLE "job" ADD COLUMN "failing_since" TIMESTAMPTZ(3);
ALTER TABLE "source_pull" ADD COLUMN "failing_since" TIMESTAMPTZ(3);
