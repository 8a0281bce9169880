-- Owner: track

-- Adds the bytes of a recording to the sums.
CREATE OR REPLACE FUNCTION track_sum_received() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO track_sum (organization_id, collection_id, creator_id, tracks, source_bytes, file_bytes)
    VALUES (NEW.organization_id, NEW.collection_id, NEW.creator_id, 0,
        coalesce(NEW.source_bytes, 0) - coalesce(OLD.source_bytes, 0), 0);
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER track_sum_received AFTER UPDATE OF source_bytes ON track FOR EACH ROW
    WHEN (OLD.source_bytes IS DISTINCT FROM NEW.source_bytes
        AND (OLD.deleted_at IS NULL OR (OLD.replaced_at IS NOT NULL AND OLD.purged_at IS NULL)) AND
        (OLD.deleted_at, OLD.replaced_at, OLD.purged_at, OLD.organization_id, OLD.collection_id, OLD.creator_id) IS NOT DISTINCT FROM
        (NEW.deleted_at, NEW.replaced_at, NEW.purged_at, NEW.organization_id, NEW.collection_id, NEW.creator_id))
    EXECUTE FUNCTION track_sum_received();
