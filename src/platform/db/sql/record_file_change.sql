-- Owner: delivery

-- Records that deliveries of a file end, by the ID of its track. The deletion of the track has already ended them.
CREATE OR REPLACE FUNCTION ledger.record_file_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ledger.delivery_change (subject)
    SELECT OLD.track_id WHERE NOT EXISTS (SELECT FROM track WHERE id = OLD.track_id AND deleted_at IS NOT NULL);
    RETURN NULL;
END
$$;

-- Also for a file that remains done: an edge keeps everything that its answers contain.
CREATE OR REPLACE TRIGGER delivery_changed
    AFTER UPDATE OF state, path, track_id, variant_id, storage_key, size, sha256, content_type, file_name, completed_at
    ON track_file FOR EACH ROW
    WHEN (OLD.state = 'done' AND
        (OLD.state, OLD.path, OLD.track_id, OLD.variant_id, OLD.storage_key, OLD.size, OLD.sha256, OLD.content_type,
            OLD.file_name, OLD.completed_at)
        IS DISTINCT FROM
        (NEW.state, NEW.path, NEW.track_id, NEW.variant_id, NEW.storage_key, NEW.size, NEW.sha256, NEW.content_type,
            NEW.file_name, NEW.completed_at))
    EXECUTE FUNCTION ledger.record_file_change();
-- The rows of organizations, variants, collections and tracks cannot be deleted before those of their files.
CREATE OR REPLACE TRIGGER delivery_deleted AFTER DELETE ON track_file FOR EACH ROW WHEN (OLD.state = 'done')
    EXECUTE FUNCTION ledger.record_file_change();
