-- Turns that a job takes, by the expected length of its work: short jobs of other organizations start before a long one.
ALTER TABLE "job" ADD COLUMN "turns" SMALLINT NOT NULL DEFAULT 1;
