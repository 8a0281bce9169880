-- `search` matches a part of a name. The extensions may be in another schema, where an operator of the database created
-- them for a role that must not.
DO $$
DECLARE
    trigrams text;
BEGIN
    BEGIN
        CREATE EXTENSION IF NOT EXISTS pg_trgm;
        CREATE EXTENSION IF NOT EXISTS btree_gin;
    EXCEPTION WHEN OTHERS THEN
        RAISE EXCEPTION 'the database rejects the extensions that the search needs (%); allow pg_trgm and btree_gin, or run CREATE EXTENSION for both as an administrator of the database, then start again', SQLERRM;
    END;
    SELECT format('%I.gin_trgm_ops', n.nspname) INTO trigrams
    FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm';
    -- With the organization, so that a term that others use often is not slow. Entries wait in a short list: a search
    -- reads all of it, and the write that fills it inserts them.
    EXECUTE format(
        'CREATE INDEX "track_search" ON "track" USING gin ("organization_id", "file_name" %1$s,
            "file_name_original" %1$s, "player_title" %1$s, "organization_index" %1$s)
            WITH (gin_pending_list_limit = 256) WHERE "deleted_at" IS NULL', trigrams);
    EXECUTE format(
        'CREATE INDEX "collection_search" ON "collection" USING gin ("organization_id", "title" %1$s,
            "organization_index" %1$s) WITH (gin_pending_list_limit = 256) WHERE "deleted_at" IS NULL', trigrams);
END $$;

-- CreateIndex
CREATE INDEX "track_organization_id_updated_at_id_idx" ON "track"("organization_id", "updated_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "track_organization_id_file_name_id_idx" ON "track"("organization_id", "file_name", "id");
