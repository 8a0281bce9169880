-- Owner: playback

-- Replaces a name in a list of names, without regard to case. See `variant_renamed`.
CREATE OR REPLACE FUNCTION renamed_in(names text[], old_name text, new_name text) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
    SELECT array_agg(CASE WHEN lower(name COLLATE "C") = lower(old_name COLLATE "C") THEN new_name ELSE name END ORDER BY place)
    FROM unnest(names) WITH ORDINALITY AS listed(name, place)
$$;
