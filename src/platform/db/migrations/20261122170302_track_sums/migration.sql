-- CreateTable
CREATE TABLE "track_sum" (
    "id" BIGSERIAL NOT NULL,
    "organization_id" UUID NOT NULL,
    "collection_id" UUID NOT NULL,
    "creator_id" UUID,
    "tracks" INTEGER NOT NULL,
    "source_bytes" BIGINT NOT NULL,
    "file_bytes" BIGINT NOT NULL,
    "is_folded" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "track_sum_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "track_sum_organization_id_collection_id_idx" ON "track_sum"("organization_id", "collection_id");

CREATE INDEX "track_sum_unfolded" ON "track_sum" ("id") WHERE NOT "is_folded";

-- New tracks and files are added by statement, so that many at once add few rows.
CREATE FUNCTION track_sum_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "track_sum" ("organization_id", "collection_id", "creator_id", "tracks", "source_bytes", "file_bytes")
    SELECT "organization_id", "collection_id", "creator_id", count(*), coalesce(sum("source_bytes"), 0), 0
    FROM inserted WHERE "deleted_at" IS NULL GROUP BY 1, 2, 3;
    RETURN NULL;
END $$;

CREATE FUNCTION track_sum_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    bytes bigint;
BEGIN
    -- Transactions that change its files lock the track before, as does this change: their files are visible here.
    SELECT coalesce(sum("size"), 0) INTO bytes FROM "track_file" WHERE "track_id" = OLD."id" AND "state" = 'done';
    IF OLD."deleted_at" IS NULL THEN
        INSERT INTO "track_sum" ("organization_id", "collection_id", "creator_id", "tracks", "source_bytes", "file_bytes")
        VALUES (OLD."organization_id", OLD."collection_id", OLD."creator_id", -1, -coalesce(OLD."source_bytes", 0), -bytes);
    END IF;
    IF TG_OP = 'UPDATE' AND NEW."deleted_at" IS NULL THEN
        INSERT INTO "track_sum" ("organization_id", "collection_id", "creator_id", "tracks", "source_bytes", "file_bytes")
        VALUES (NEW."organization_id", NEW."collection_id", NEW."creator_id", 1, coalesce(NEW."source_bytes", 0), bytes);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION track_sum_received() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "track_sum" ("organization_id", "collection_id", "creator_id", "tracks", "source_bytes", "file_bytes")
    VALUES (NEW."organization_id", NEW."collection_id", NEW."creator_id", 0,
        coalesce(NEW."source_bytes", 0) - coalesce(OLD."source_bytes", 0), 0);
    RETURN NULL;
END $$;

CREATE FUNCTION track_sum_files_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "track_sum" ("organization_id", "collection_id", "creator_id", "tracks", "source_bytes", "file_bytes")
    SELECT "organization_id", "collection_id", "creator_id", 0, 0, sum("size") FROM (
        SELECT t."organization_id", t."collection_id", t."creator_id", t."deleted_at", f."size"
        FROM inserted f JOIN "track" t ON t."id" = f."track_id" WHERE f."state" = 'done' FOR SHARE OF t
    ) file WHERE "deleted_at" IS NULL GROUP BY 1, 2, 3;
    RETURN NULL;
END $$;

CREATE FUNCTION track_sum_file_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_track "track";
    bytes bigint := 0;
BEGIN
    IF OLD."state" = 'done' THEN
        bytes := -OLD."size";
    END IF;
    IF TG_OP = 'UPDATE' AND NEW."state" = 'done' THEN
        bytes := bytes + NEW."size";
    END IF;
    -- Locked, so that a concurrent deletion sees the file, or the file sees the deletion.
    SELECT * INTO of_track FROM "track" WHERE "id" = OLD."track_id" FOR SHARE;
    IF of_track."deleted_at" IS NULL AND bytes <> 0 THEN
        INSERT INTO "track_sum" ("organization_id", "collection_id", "creator_id", "tracks", "source_bytes", "file_bytes")
        VALUES (of_track."organization_id", of_track."collection_id", of_track."creator_id", 0, 0, bytes);
    END IF;
    RETURN NULL;
END $$;

-- Until the commit, so that the triggers and the first sums miss no change. In the order of the transactions that
-- publish files.
LOCK TABLE "track_file" IN SHARE ROW EXCLUSIVE MODE;
LOCK TABLE "track" IN SHARE ROW EXCLUSIVE MODE;

CREATE TRIGGER "track_sum_inserted" AFTER INSERT ON "track" REFERENCING NEW TABLE AS inserted
    FOR EACH STATEMENT EXECUTE FUNCTION track_sum_inserted();
CREATE TRIGGER "track_sum_received" AFTER UPDATE OF "source_bytes" ON "track" FOR EACH ROW
    WHEN (OLD."source_bytes" IS DISTINCT FROM NEW."source_bytes" AND OLD."deleted_at" IS NULL AND
        (OLD."deleted_at", OLD."organization_id", OLD."collection_id", OLD."creator_id") IS NOT DISTINCT FROM
        (NEW."deleted_at", NEW."organization_id", NEW."collection_id", NEW."creator_id"))
    EXECUTE FUNCTION track_sum_received();
CREATE TRIGGER "track_sum_changed" AFTER UPDATE OF "deleted_at", "organization_id", "collection_id", "creator_id" ON "track"
    FOR EACH ROW WHEN ((OLD."deleted_at", OLD."organization_id", OLD."collection_id", OLD."creator_id") IS DISTINCT FROM
        (NEW."deleted_at", NEW."organization_id", NEW."collection_id", NEW."creator_id"))
    EXECUTE FUNCTION track_sum_changed();
CREATE TRIGGER "track_sum_deleted" AFTER DELETE ON "track" FOR EACH ROW EXECUTE FUNCTION track_sum_changed();
CREATE TRIGGER "track_sum_files_inserted" AFTER INSERT ON "track_file" REFERENCING NEW TABLE AS inserted
    FOR EACH STATEMENT EXECUTE FUNCTION track_sum_files_inserted();
CREATE TRIGGER "track_sum_file_changed" AFTER UPDATE OF "state", "size" ON "track_file" FOR EACH ROW
    WHEN ((OLD."state" = 'done' OR NEW."state" = 'done') AND
        (OLD."state", OLD."size") IS DISTINCT FROM (NEW."state", NEW."size"))
    EXECUTE FUNCTION track_sum_file_changed();
CREATE TRIGGER "track_sum_file_deleted" AFTER DELETE ON "track_file" FOR EACH ROW WHEN (OLD."state" = 'done')
    EXECUTE FUNCTION track_sum_file_changed();

INSERT INTO "track_sum" ("organization_id", "collection_id", "creator_id", "tracks", "source_bytes", "file_bytes", "is_folded")
SELECT t."organization_id", t."collection_id", t."creator_id", count(*), coalesce(sum(t."source_bytes"), 0),
    coalesce(sum(f."bytes"), 0), true
FROM "track" t
LEFT JOIN (SELECT "track_id", sum("size") AS "bytes" FROM "track_file" WHERE "state" = 'done' GROUP BY 1) f
    ON f."track_id" = t."id"
WHERE t."deleted_at" IS NULL GROUP BY 1, 2, 3;
ANALYZE "track_sum";
