-- Owner: track
-- After: searchable

-- The names of a track that a search compares: those that are shown, its identifiers, and the names of its file.
CREATE OR REPLACE FUNCTION track_search_text(t track) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT searchable(concat_ws(' ',
        coalesce(nullif(btrim(t.player_title), ''), t.info -> 'tags' ->> 'title'),
        coalesce(t.player_subtitle, t.info -> 'tags' ->> 'artist'),
        coalesce(t.album, t.info -> 'tags' ->> 'album'),
        replace(coalesce(t.isrc, t.info -> 'tags' ->> 'isrc', t.info -> 'tags' ->> 'tsrc'), '-', ''),
        t.file_name_original, nullif(t.file_name, t.file_name_original), t.organization_index))
$$;
