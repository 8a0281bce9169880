-- Owner: track
-- After: fold_text

-- The beginning of a track's artist, as lists are ordered. Empty without one.
CREATE OR REPLACE FUNCTION track_artist_key(t track) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT left(fold_text(coalesce(t.player_subtitle, t.info -> 'tags' ->> 'artist', '')), 100)
$$;
