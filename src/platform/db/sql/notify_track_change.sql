-- Owner: track

-- Notifies the subscriptions of all processes. PostgreSQL sends it when the transaction commits, and only then.
CREATE OR REPLACE FUNCTION notify_track_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('track_changed', json_build_object(
        'organization', NEW.organization_id,
        'collection', NEW.collection_id,
        'creator', NEW.creator_id,
        'session', NEW.upload_session_id,
        'track', NEW.id,
        'status', NEW.status,
        'progress', NEW.progress,
        'changedAt', NEW.status_changed_at,
        'isDeleted', NEW.deleted_at IS NOT NULL
    )::text);
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER track_created AFTER INSERT ON track FOR EACH ROW EXECUTE FUNCTION notify_track_change();
CREATE OR REPLACE TRIGGER track_changed AFTER UPDATE OF status, progress, deleted_at ON track FOR EACH ROW
    WHEN ((OLD.status, OLD.progress, OLD.deleted_at) IS DISTINCT FROM (NEW.status, NEW.progress, NEW.deleted_at))
    EXECUTE FUNCTION notify_track_change();
