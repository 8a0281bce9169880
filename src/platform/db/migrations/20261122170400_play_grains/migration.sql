-- Plays of an hour (UTC), a key and a variant, within the row of a day.
CREATE TYPE "play_part" AS (
    "hour" smallint,
    "key_id" uuid,
    "variant_id" uuid,
    "requests" integer,
    "listens" integer
);

-- CreateTable
CREATE TABLE "play_day" (
    "organization_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "requests" BIGINT NOT NULL,
    "listens" BIGINT NOT NULL,
    "parts" play_part[] NOT NULL
);

-- CreateTable
CREATE TABLE "play_day_creator" (
    "organization_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "creator_id" UUID,
    "requests" BIGINT NOT NULL,
    "listens" BIGINT NOT NULL,
    "parts" play_part[] NOT NULL
);

-- CreateTable
CREATE TABLE "play_day_collection" (
    "organization_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "collection_id" UUID NOT NULL,
    "creator_id" UUID,
    "requests" BIGINT NOT NULL,
    "listens" BIGINT NOT NULL,
    "parts" play_part[] NOT NULL
);

-- CreateTable
CREATE TABLE "play_day_track" (
    "organization_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "track_id" UUID NOT NULL,
    "collection_id" UUID NOT NULL,
    "creator_id" UUID,
    "requests" BIGINT NOT NULL,
    "listens" BIGINT NOT NULL,
    "parts" play_part[] NOT NULL
);

-- CreateIndex
CREATE UNIQUE INDEX "play_day_organization_id_day_key" ON "play_day"("organization_id", "day");

-- CreateIndex
CREATE UNIQUE INDEX "play_day_creator_organization_id_day_creator_id_key" ON "play_day_creator"("organization_id", "day", "creator_id") NULLS NOT DISTINCT;

-- CreateIndex
CREATE UNIQUE INDEX "play_day_collection_organization_id_day_collection_id_creat_key" ON "play_day_collection"("organization_id", "day", "collection_id", "creator_id") NULLS NOT DISTINCT;

-- CreateIndex
CREATE UNIQUE INDEX "play_day_track_organization_id_day_track_id_collection_id_c_key" ON "play_day_track"("organization_id", "day", "track_id", "collection_id", "creator_id") NULLS NOT DISTINCT;

ALTER TABLE "play_day" ADD CONSTRAINT "play_day_listens" CHECK (listens BETWEEN 0 AND requests);
ALTER TABLE "play_day_creator" ADD CONSTRAINT "play_day_creator_listens" CHECK (listens BETWEEN 0 AND requests);
ALTER TABLE "play_day_collection" ADD CONSTRAINT "play_day_collection_listens" CHECK (listens BETWEEN 0 AND requests);
ALTER TABLE "play_day_track" ADD CONSTRAINT "play_day_track_listens" CHECK (listens BETWEEN 0 AND requests);

-- Rows of these tables have many parts, which most queries do not read: stored outside of the row.
ALTER TABLE "play_day" SET (toast_tuple_target = 128);
ALTER TABLE "play_day_creator" SET (toast_tuple_target = 128);
ALTER TABLE "play_day_collection" SET (toast_tuple_target = 128);

-- Waits for a running roll-up of the previous version (locks.usageRollUp); the next one waits for this migration.
SELECT pg_advisory_xact_lock(7210998);
SET LOCAL work_mem = '64MB';

-- The sums so far. The previous version continues to write and read its own.
INSERT INTO "play_day_track"
SELECT organization_id, (starts_at AT TIME ZONE 'UTC')::date, track_id, collection_id, creator_id, sum(requests),
    sum(listens), array_agg(ROW(extract(hour FROM starts_at AT TIME ZONE 'UTC'), key_id, variant_id, requests, listens)::play_part)
FROM "play_count" WHERE span = 'hour' GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3;

INSERT INTO "play_day_collection"
SELECT organization_id, day, collection_id, creator_id, sum(requests), sum(listens),
    array_agg(ROW(hour, key_id, variant_id, requests, listens)::play_part)
FROM (
    SELECT organization_id, day, collection_id, creator_id, hour, key_id, variant_id, sum(p.requests) AS requests,
        sum(p.listens) AS listens
    FROM "play_day_track" CROSS JOIN unnest(parts) AS p GROUP BY 1, 2, 3, 4, 5, 6, 7
) AS part GROUP BY 1, 2, 3, 4;

INSERT INTO "play_day_creator"
SELECT organization_id, day, creator_id, sum(requests), sum(listens),
    array_agg(ROW(hour, key_id, variant_id, requests, listens)::play_part)
FROM (
    SELECT organization_id, day, creator_id, hour, key_id, variant_id, sum(p.requests) AS requests, sum(p.listens) AS listens
    FROM "play_day_collection" CROSS JOIN unnest(parts) AS p GROUP BY 1, 2, 3, 4, 5, 6
) AS part GROUP BY 1, 2, 3;

INSERT INTO "play_day"
SELECT organization_id, day, sum(requests), sum(listens),
    array_agg(ROW(hour, key_id, variant_id, requests, listens)::play_part)
FROM (
    SELECT organization_id, day, hour, key_id, variant_id, sum(p.requests) AS requests, sum(p.listens) AS listens
    FROM "play_day_creator" CROSS JOIN unnest(parts) AS p GROUP BY 1, 2, 3, 4, 5
) AS part GROUP BY 1, 2;

-- Last, because it locks a table that every query of usage reads.
ALTER TABLE "play_counted" ADD COLUMN     "summed_to" TIMESTAMPTZ(3);
UPDATE "play_counted" SET summed_to = counted_to;
