-- Owner: track

-- Notifies the subscriptions of all processes. PostgreSQL sends it when the transaction commits, and only then. A change of
-- another recording of a track is sent as the unchanged state of the track: clients
-- read it again.
CREATE OR REPLACE FUNCTION notify_track_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed track := NEW;
BEGIN
    IF NEW.replaces_id IS NOT NULL THEN
        SELECT * INTO changed FROM track WHERE id = NEW.replaces_id;
    END IF;
    PERFORM pg_notify('track_changed', json_build_object(
        'organization', changed.organization_id,
        'collection', changed.collection_id,
        'creator', changed.creator_id,
        'session', changed.upload_session_id,
        'track', changed.id,
        'status', changed.status,
        'progress', changed.progress,
        'changedAt', changed.status_changed_at,
        'isDeleted', changed.deleted_at IS NOT NULL
    )::text);
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER track_created AFTER INSERT ON track FOR EACH ROW EXECUTE FUNCTION notify_track_change();
CREATE OR REPLACE TRIGGER track_changed AFTER UPDATE OF status, progress, deleted_at, replaced_at ON track FOR EACH ROW
    WHEN ((OLD.status, OLD.progress, OLD.deleted_at, OLD.replaced_at) IS DISTINCT FROM
        (NEW.status, NEW.progress, NEW.deleted_at, NEW.replaced_at))
    EXECUTE FUNCTION notify_track_change();
