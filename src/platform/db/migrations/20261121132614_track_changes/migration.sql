-- AlterTable
ALTER TABLE "track" ADD COLUMN     "progress" SMALLINT NOT NULL DEFAULT 0,
ADD COLUMN     "status_changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- CreateIndex
CREATE INDEX "track_organization_id_status_changed_at_idx" ON "track"("organization_id", "status_changed_at");

UPDATE "track" SET "status_changed_at" = "updated_at";

ALTER TABLE "track" ADD CONSTRAINT "track_progress_is_percent" CHECK ("progress" BETWEEN 0 AND 99);

-- What a client that watches a whole organization is shown first.
CREATE INDEX "track_under_way" ON "track" ("organization_id", "id") WHERE "status" IN ('initialized', 'processing', 'fallback_processing') AND "deleted_at" IS NULL;

-- In the database, so that it holds for every writer, by one clock. Ever later, so that of two states of a track
-- everyone can tell the newer one.
CREATE FUNCTION track_stamp_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.status, NEW.deleted_at) IS DISTINCT FROM (OLD.status, OLD.deleted_at) THEN
        NEW.status_changed_at := greatest(clock_timestamp(), OLD.status_changed_at + interval '1 millisecond');
    END IF;
    IF NEW.status = 'processing' AND OLD.status NOT IN ('processing', 'fallback_processing') THEN
        NEW.progress := 0;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER "track_stamp_change" BEFORE UPDATE OF "status", "deleted_at" ON "track"
    FOR EACH ROW EXECUTE FUNCTION track_stamp_change();

-- PostgreSQL hands it to the listeners when the transaction commits, and never for one that does not.
CREATE FUNCTION track_tell_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('track_changed', json_build_object(
        'organization', NEW.organization_id,
        'collection', NEW.collection_id,
        'creator', NEW.creator_id,
        'track', NEW.id,
        'status', NEW.status,
        'progress', NEW.progress,
        'changedAt', NEW.status_changed_at,
        'isDeleted', NEW.deleted_at IS NOT NULL
    )::text);
    RETURN NULL;
END
$$;
CREATE TRIGGER "track_tell_creation" AFTER INSERT ON "track"
    FOR EACH ROW EXECUTE FUNCTION track_tell_change();
CREATE TRIGGER "track_tell_change" AFTER UPDATE OF "status", "progress", "deleted_at" ON "track"
    FOR EACH ROW WHEN (
        (OLD.status, OLD.progress, OLD.deleted_at) IS DISTINCT FROM (NEW.status, NEW.progress, NEW.deleted_at)
    ) EXECUTE FUNCTION track_tell_change();
