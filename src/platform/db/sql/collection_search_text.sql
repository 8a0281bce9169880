-- Owner: collection
-- After: searchable

-- The names of a collection that a search compares.
CREATE OR REPLACE FUNCTION collection_search_text(c collection) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT searchable(concat_ws(' ', c.title, c.player_subtitle, c.author, c.organization_index))
$$;
