-- Owner: track

-- Adds a finished file to the sums, and removes one that is replaced or deleted.
CREATE OR REPLACE FUNCTION track_sum_file_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_track track;
    bytes bigint := 0;
BEGIN
    IF OLD.state = 'done' THEN
        bytes := -stored_bytes(OLD.size, OLD.data);
    END IF;
    IF TG_OP = 'UPDATE' AND NEW.state = 'done' THEN
        bytes := bytes + stored_bytes(NEW.size, NEW.data);
    END IF;
    -- Locked, so that a concurrent deletion sees the file, or the file sees the deletion.
    SELECT * INTO of_track FROM track WHERE id = OLD.track_id FOR SHARE;
    IF is_summed(of_track) AND bytes <> 0 THEN
        INSERT INTO track_sum (organization_id, collection_id, creator_id, tracks, source_bytes, file_bytes)
        VALUES (of_track.organization_id, of_track.collection_id, of_track.creator_id, 0, 0, bytes);
    END IF;
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER track_sum_file_changed AFTER UPDATE OF state, size, storage_key ON track_file FOR EACH ROW
    WHEN ((OLD.state = 'done' OR NEW.state = 'done') AND
        (OLD.state, OLD.size, OLD.storage_key) IS DISTINCT FROM (NEW.state, NEW.size, NEW.storage_key))
    EXECUTE FUNCTION track_sum_file_changed();
CREATE OR REPLACE TRIGGER track_sum_file_deleted AFTER DELETE ON track_file FOR EACH ROW WHEN (OLD.state = 'done')
    EXECUTE FUNCTION track_sum_file_changed();
