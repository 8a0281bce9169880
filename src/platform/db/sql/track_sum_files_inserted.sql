-- Owner: track

-- Adds new files to the sums, by statement: many at once add few rows.
CREATE OR REPLACE FUNCTION track_sum_files_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO track_sum (organization_id, collection_id, creator_id, tracks, source_bytes, file_bytes)
    SELECT organization_id, collection_id, creator_id, 0, 0, sum(bytes) FROM (
        SELECT t.organization_id, t.collection_id, t.creator_id, is_summed(t) AS is_summed,
            stored_bytes(f.size, f.data) AS bytes
        FROM inserted f JOIN track t ON t.id = f.track_id WHERE f.state = 'done' FOR SHARE OF t
    ) file WHERE is_summed GROUP BY 1, 2, 3;
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER track_sum_files_inserted AFTER INSERT ON track_file REFERENCING NEW TABLE AS inserted
    FOR EACH STATEMENT EXECUTE FUNCTION track_sum_files_inserted();
