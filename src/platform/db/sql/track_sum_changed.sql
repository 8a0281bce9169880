-- Owner: track

-- Moves a track with its files between sums, and removes a deleted one. A row with another recording of a track adds bytes,
-- but is no track.
CREATE OR REPLACE FUNCTION track_sum_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    bytes bigint;
BEGIN
    -- Transactions that change its files lock the track before, as does this change: their files are visible here.
    SELECT coalesce(sum(stored_bytes(size, data)), 0) INTO bytes FROM track_file WHERE track_id = OLD.id AND state = 'done';
    IF is_summed(OLD) THEN
        INSERT INTO track_sum (organization_id, collection_id, creator_id, tracks, source_bytes, file_bytes)
        VALUES (OLD.organization_id, OLD.collection_id, OLD.creator_id, -(OLD.replaces_id IS NULL)::int, -coalesce(OLD.source_bytes, 0), -bytes);
    END IF;
    IF TG_OP = 'UPDATE' AND is_summed(NEW) THEN
        INSERT INTO track_sum (organization_id, collection_id, creator_id, tracks, source_bytes, file_bytes)
        VALUES (NEW.organization_id, NEW.collection_id, NEW.creator_id, (NEW.replaces_id IS NULL)::int, coalesce(NEW.source_bytes, 0), bytes);
    END IF;
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER track_sum_changed
    AFTER UPDATE OF deleted_at, replaced_at, purged_at, organization_id, collection_id, creator_id ON track
    FOR EACH ROW WHEN
        ((OLD.deleted_at, OLD.replaced_at, OLD.purged_at, OLD.organization_id, OLD.collection_id, OLD.creator_id) IS DISTINCT FROM
        (NEW.deleted_at, NEW.replaced_at, NEW.purged_at, NEW.organization_id, NEW.collection_id, NEW.creator_id))
    EXECUTE FUNCTION track_sum_changed();
CREATE OR REPLACE TRIGGER track_sum_deleted AFTER DELETE ON track FOR EACH ROW EXECUTE FUNCTION track_sum_changed();
