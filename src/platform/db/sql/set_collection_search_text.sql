-- Owner: collection
-- After: collection_search_text

-- Writes the text that searches of collections compare.
CREATE OR REPLACE FUNCTION set_collection_search_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.search_text := collection_search_text(NEW);
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER collection_search_text_inserted BEFORE INSERT ON collection FOR EACH ROW
    EXECUTE FUNCTION set_collection_search_text();
CREATE OR REPLACE TRIGGER collection_search_text_changed
    BEFORE UPDATE OF title, player_subtitle, author, organization_index ON collection FOR EACH ROW
    EXECUTE FUNCTION set_collection_search_text();
