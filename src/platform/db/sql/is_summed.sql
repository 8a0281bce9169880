-- Owner: track

-- Whether the bytes of a row of `track` are in the sums: it is not deleted, or has a former recording that is not purged.
CREATE OR REPLACE FUNCTION is_summed(t track) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN t.deleted_at IS NULL OR (t.replaced_at IS NOT NULL AND t.purged_at IS NULL);
