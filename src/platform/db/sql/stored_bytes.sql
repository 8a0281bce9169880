-- Owner: track

-- The bytes of a finished file with those of the other rates of an adaptive stream, which `data` lists. Other siblings, such as
-- the sizes of a cover, are not counted.
CREATE OR REPLACE FUNCTION stored_bytes(size bigint, data jsonb) RETURNS bigint LANGUAGE sql IMMUTABLE
AS $$
    SELECT size + CASE WHEN data ? 'rates' THEN (
        SELECT coalesce(sum((rate.value ->> 'size')::bigint), 0) FROM jsonb_each(data -> 'rates') rate
        WHERE (rate.value ->> 'is_main')::boolean IS NOT TRUE
    ) ELSE 0 END::bigint
$$;
