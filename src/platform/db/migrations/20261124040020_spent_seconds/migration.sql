-- Wall time of all attempts of a job, failed ones included. Counts in the turns of its organization.
ALTER TABLE "job" ADD COLUMN "spent_seconds" DOUBLE PRECISION NOT NULL DEFAULT 0;
