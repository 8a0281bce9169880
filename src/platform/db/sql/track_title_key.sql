-- Owner: track
-- After: fold_text

-- The beginning of a track's title, as lists are ordered: `readTitle` of domain/track/catalog/effective.ts.
CREATE OR REPLACE FUNCTION track_title_key(t track) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT left(fold_text(coalesce(
        nullif(btrim(t.player_title), ''),
        nullif(btrim(t.info -> 'tags' ->> 'title'), ''),
        nullif(btrim(regexp_replace(t.file_name_original, '^.*[/\\]|\.[A-Za-z0-9]{1,8}$', '', 'g')), ''),
        regexp_replace(t.file_name, '\.[A-Za-z0-9]{1,8}$', ''))), 100)
$$;
