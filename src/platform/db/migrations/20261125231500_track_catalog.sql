ALTER TABLE track
    ADD COLUMN album text,
    ADD COLUMN track_number integer,
    ADD COLUMN disc_number integer,
    ADD COLUMN isrc text,
    ADD COLUMN year integer,
    ADD COLUMN search_text text;
ALTER TABLE collection ADD COLUMN search_text text;
-- Searches compare one column (decision 0074). With the organization, so that the names of others do not slow a search.
DO $$
DECLARE
    trigrams text;
BEGIN
    SELECT format('%I.gin_trgm_ops', n.nspname) INTO trigrams
    FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm';
    -- No row has a text yet.
    EXECUTE format(
        'CREATE INDEX track_search_text ON track USING gin (organization_id, search_text %1$s)
            WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL AND search_text IS NOT NULL', trigrams);
    EXECUTE format(
        'CREATE INDEX collection_search_text ON collection USING gin (organization_id, search_text %1$s)
            WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL AND search_text IS NOT NULL', trigrams);
END
$$;
-- For the task that fills the rows of the release before. All rows are in it, by one pass over the table: about a second
-- for a million tracks.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX track_without_search_text ON track (id) WHERE search_text IS NULL;
-- As the index before.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX collection_without_search_text ON collection (id) WHERE search_text IS NULL;
