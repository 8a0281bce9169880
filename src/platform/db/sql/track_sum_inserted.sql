-- Owner: track

-- Adds new tracks to the sums, by statement: many at once add few rows (decision 0021).
CREATE OR REPLACE FUNCTION track_sum_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO track_sum (organization_id, collection_id, creator_id, tracks, source_bytes, file_bytes)
    SELECT organization_id, collection_id, creator_id, count(*) FILTER (WHERE replaces_id IS NULL), coalesce(sum(source_bytes), 0), 0
    FROM inserted WHERE deleted_at IS NULL GROUP BY 1, 2, 3;
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER track_sum_inserted AFTER INSERT ON track REFERENCING NEW TABLE AS inserted
    FOR EACH STATEMENT EXECUTE FUNCTION track_sum_inserted();
