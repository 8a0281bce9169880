-- Owner: track
-- After: track_search_text, track_title_key, track_artist_key

-- Writes the text that searches of tracks compare, and the keys that lists are ordered by.
CREATE OR REPLACE FUNCTION set_track_search_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.search_text := track_search_text(NEW);
    NEW.title_key := track_title_key(NEW);
    NEW.artist_key := track_artist_key(NEW);
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER track_search_text_inserted BEFORE INSERT ON track FOR EACH ROW
    EXECUTE FUNCTION set_track_search_text();
CREATE OR REPLACE TRIGGER track_search_text_changed BEFORE UPDATE OF player_title, player_subtitle, album, isrc, info,
    file_name_original, file_name, organization_index ON track FOR EACH ROW EXECUTE FUNCTION set_track_search_text();
