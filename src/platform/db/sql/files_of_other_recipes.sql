-- Owner: track

-- Files of a variant that were made with other parameters. Two ranges of the index: the entries before and after those of
-- the variant's recipe. The planner expects that a third of the table is in each of them, and would scan all of it.
CREATE OR REPLACE FUNCTION files_of_other_recipes(v variant) RETURNS TABLE (id uuid, track_id uuid)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100 SET enable_seqscan = off AS $$
DECLARE
    current_key bigint := recipe_key(v.index, v.props);
BEGIN
    RETURN QUERY SELECT f.id, f.track_id FROM track_file f
        WHERE f.variant_id = v.id AND f.state = 'done' AND recipe_key(f.index, f.recipe) < current_key;
    RETURN QUERY SELECT f.id, f.track_id FROM track_file f
        WHERE f.variant_id = v.id AND f.state = 'done' AND recipe_key(f.index, f.recipe) > current_key;
END
$$;
