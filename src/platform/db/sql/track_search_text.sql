-- Owner: track
-- After: fold_text

-- The names of a track that a search compares: those that are shown, its identifiers, and the names of its file. A space
-- is before each word. The words after another character, as in `01-first-light.wav`, follow once more, after a space.
CREATE OR REPLACE FUNCTION track_search_text(t track) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT concat(' ', names, ' ', regexp_replace(names, '[^a-z0-9]+', ' ', 'g'))
    FROM fold_text(concat_ws(' ',
        coalesce(nullif(btrim(t.player_title), ''), t.info -> 'tags' ->> 'title'),
        coalesce(t.player_subtitle, t.info -> 'tags' ->> 'artist'),
        coalesce(t.album, t.info -> 'tags' ->> 'album'),
        replace(coalesce(t.isrc, t.info -> 'tags' ->> 'isrc', t.info -> 'tags' ->> 'tsrc'), '-', ''),
        t.file_name_original, nullif(t.file_name, t.file_name_original), t.organization_index)) names
$$;
