-- Owner: collection
-- After: fold_text

-- Names as a search compares them, with a space before each word. The words after another character, as in
-- `01-first-light.wav`, follow once more, after a space.
CREATE OR REPLACE FUNCTION searchable(names text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT concat(' ', folded, ' ', regexp_replace(folded, '[^a-z0-9]+', ' ', 'g')) FROM fold_text(names) folded
$$;
