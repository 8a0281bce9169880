-- CreateEnum
CREATE TYPE "play_exclusion" AS ENUM ('bot', 'prefetch', 'probe', 'repeat', 'unmeasured');

-- CreateEnum
CREATE TYPE "play_count_span" AS ENUM ('hour', 'day');

-- The ledger anew, by month. Its parts lie in a schema of their own: they are no tables of the model.
ALTER TABLE "play_event" RENAME TO "play_event_before";
ALTER INDEX "play_event_pkey" RENAME TO "play_event_before_pkey";
DROP INDEX "play_event_organization_id_created_at_idx";
CREATE TABLE "play_event" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "track_id" UUID NOT NULL,
    "variant_id" UUID NOT NULL,
    "collection_id" UUID NOT NULL,
    "creator_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "listener" UUID,
    "referrer_host" TEXT,
    "exclusion" "play_exclusion",

    CONSTRAINT "play_event_pkey" PRIMARY KEY ("organization_id", "created_at", "id")
) PARTITION BY RANGE ("created_at");

-- Newest pages too are to be found by it, which nobody else adds to a BRIN index before a vacuum.
CREATE INDEX "play_event_created_at_idx" ON "play_event" USING BRIN ("created_at") WITH (autosummarize = on);

-- Takes what no month takes: a play must be counted even where nobody made its month in time.
CREATE SCHEMA "ledger";
CREATE TABLE ledger.play_event_rest PARTITION OF "play_event" DEFAULT;

-- Makes the part of a month, with what the rest holds of it. Nothing where it is there.
CREATE FUNCTION ledger.add_month(at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    starts timestamptz := date_trunc('month', at, 'UTC');
    ends timestamptz := (starts AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC';
    part text := 'play_event_' || to_char(starts AT TIME ZONE 'UTC', 'YYYY_MM');
BEGIN
    IF to_regclass('ledger.' || part) IS NOT NULL THEN
        RETURN;
    END IF;
    EXECUTE format('CREATE TABLE ledger.%I (LIKE play_event INCLUDING ALL)', part);
    -- What is written there from now on waits, and finds its month.
    LOCK TABLE ledger.play_event_rest IN ACCESS EXCLUSIVE MODE;
    EXECUTE format(
        'WITH moved AS (DELETE FROM ledger.play_event_rest WHERE created_at >= %L AND created_at < %L RETURNING *)
         INSERT INTO ledger.%I SELECT * FROM moved', starts, ends, part);
    EXECUTE format('ALTER TABLE play_event ATTACH PARTITION ledger.%I FOR VALUES FROM (%L) TO (%L)', part, starts, ends);
END
$$;

-- Drops the parts of months that ended at or before a time, and what the rest holds from before it.
CREATE FUNCTION ledger.drop_before(at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    part text;
BEGIN
    FOR part IN
        SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'ledger' AND c.relkind = 'r' AND c.relname ~ '^play_event_\d{4}_\d{2}$'
          AND (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC' <= at
    LOOP
        EXECUTE format('DROP TABLE ledger.%I', part);
    END LOOP;
    DELETE FROM ledger.play_event_rest WHERE created_at < at;
END
$$;

SELECT ledger.add_month(month AT TIME ZONE 'UTC') FROM (
    SELECT DISTINCT date_trunc('month', created_at AT TIME ZONE 'UTC') FROM "play_event_before"
    UNION
    SELECT date_trunc('month', now() AT TIME ZONE 'UTC') + n * interval '1 month' FROM generate_series(0, 2) n
) AS needed(month);

INSERT INTO "play_event" (id, organization_id, key_id, track_id, variant_id, collection_id, creator_id, created_at, exclusion)
SELECT id, organization_id, key_id, track_id, variant_id, collection_id, creator_id, created_at, 'unmeasured'
FROM "play_event_before";
DROP TABLE "play_event_before";

-- CreateTable
CREATE TABLE "last_listen" (
    "listener" UUID NOT NULL,
    "track_id" UUID NOT NULL,
    "variant_id" UUID NOT NULL,
    "heard_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "last_listen_pkey" PRIMARY KEY ("listener","track_id","variant_id")
);

-- CreateTable
CREATE TABLE "listener_key" (
    "day" DATE NOT NULL,
    "sealed_key" TEXT NOT NULL,

    CONSTRAINT "listener_key_pkey" PRIMARY KEY ("day")
);

-- CreateTable
CREATE TABLE "play_count" (
    "id" BIGSERIAL NOT NULL,
    "span" "play_count_span" NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "organization_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "track_id" UUID NOT NULL,
    "variant_id" UUID NOT NULL,
    "collection_id" UUID NOT NULL,
    "creator_id" UUID,
    "requests" BIGINT NOT NULL,
    "listens" BIGINT NOT NULL,

    CONSTRAINT "play_count_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "play_counted" (
    "id" BOOLEAN NOT NULL DEFAULT true,
    "counted_to" TIMESTAMPTZ(3) NOT NULL,
    "ledger_from" TIMESTAMPTZ(3),

    CONSTRAINT "play_counted_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "processing_time" (
    "job_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "creator_id" UUID,
    "collection_id" UUID,
    "track_id" UUID,
    "finished_at" TIMESTAMPTZ(3) NOT NULL,
    "seconds" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "processing_time_pkey" PRIMARY KEY ("job_id")
);

-- CreateIndex
CREATE INDEX "last_listen_heard_at_idx" ON "last_listen" USING BRIN ("heard_at");

-- CreateIndex
CREATE INDEX "play_count_organization_id_span_starts_at_idx" ON "play_count"("organization_id", "span", "starts_at");

-- CreateIndex
CREATE INDEX "play_count_starts_at_idx" ON "play_count" USING BRIN ("starts_at");

-- CreateIndex
CREATE INDEX "processing_time_organization_id_finished_at_idx" ON "processing_time"("organization_id", "finished_at");

ALTER TABLE "play_counted" ADD CONSTRAINT "play_counted_one" CHECK (id);
ALTER TABLE "play_count" ADD CONSTRAINT "play_count_listens" CHECK (listens BETWEEN 0 AND requests);

-- Jobs that failed or were cancelled made nothing. Whose the files are is written down here: the job goes.
CREATE FUNCTION job_processing_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO processing_time (job_id, organization_id, creator_id, collection_id, track_id, finished_at, seconds)
    SELECT NEW.id, NEW.organization_id, coalesce(t.creator_id, c.creator_id), coalesce(t.collection_id, c.id), NEW.track_id,
        NEW.finished_at, greatest(extract(epoch FROM NEW.finished_at - NEW.started_at), 0)
    FROM (SELECT 1) one LEFT JOIN track t ON t.id = NEW.track_id LEFT JOIN collection c ON c.id = NEW.collection_id
    ON CONFLICT (job_id) DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER "job_processing_time" AFTER UPDATE OF "state" ON "job"
    FOR EACH ROW WHEN (NEW.state = 'done' AND NEW.started_at IS NOT NULL AND NEW.finished_at IS NOT NULL)
    EXECUTE FUNCTION job_processing_time();

INSERT INTO processing_time (job_id, organization_id, creator_id, collection_id, track_id, finished_at, seconds)
SELECT j.id, j.organization_id, coalesce(t.creator_id, c.creator_id), coalesce(t.collection_id, c.id), j.track_id,
    j.finished_at, greatest(extract(epoch FROM j.finished_at - j.started_at), 0)
FROM job j LEFT JOIN track t ON t.id = j.track_id LEFT JOIN collection c ON c.id = j.collection_id
WHERE j.state = 'done' AND j.started_at IS NOT NULL AND j.finished_at IS NOT NULL;
