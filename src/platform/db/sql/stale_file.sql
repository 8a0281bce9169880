-- Owner: track
-- After: files_of_other_recipes, is_stale

-- The files for which `is_stale` is true, found by indexes.
CREATE OR REPLACE VIEW stale_file AS
    SELECT f.id, v.organization_id, f.track_id, v.id AS variant_id
    FROM variant v CROSS JOIN LATERAL files_of_other_recipes(v) f
    WHERE v.deleted_at IS NULL
    UNION
    SELECT f.id, t.organization_id, t.id, v.id
    FROM track t
    JOIN track_file f ON f.track_id = t.id
    JOIN variant v ON v.id = f.variant_id AND v.deleted_at IS NULL
    WHERE t.is_recording_replaced AND is_stale(f, v, t);
