-- AlterTable
ALTER TABLE "track" ADD COLUMN     "is_recording_replaced" BOOLEAN NOT NULL DEFAULT false;

CREATE FUNCTION recording_replaced() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW."is_recording_replaced" := true;
    RETURN NEW;
END $$;
CREATE TRIGGER "recording_replaced" BEFORE UPDATE OF "source_sha256" ON "track" FOR EACH ROW
    WHEN (OLD."source_sha256" IS NOT NULL AND OLD."source_sha256" IS DISTINCT FROM NEW."source_sha256")
    EXECUTE FUNCTION recording_replaced();

UPDATE "track" t SET "is_recording_replaced" = true
WHERE EXISTS (SELECT 1 FROM "track_file" f WHERE f."track_id" = t."id" AND f."source_sha256" <> t."source_sha256");
CREATE INDEX "track_recording_replaced" ON "track" ("organization_id") WHERE "is_recording_replaced";

-- The rule. Does not compare recordings if one is unknown.
CREATE FUNCTION is_stale(f "track_file", v "variant", t "track") RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN f."state" = 'done'
        AND ((f."index", f."recipe") IS DISTINCT FROM (v."index", v."props") OR f."source_sha256" <> t."source_sha256");

-- Equal for equal recipes.
CREATE FUNCTION recipe_key("index" text, "recipe" jsonb) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN coalesce(hashtextextended("index", jsonb_hash_extended("recipe", 0)), 0);
CREATE INDEX "track_file_recipe" ON "track_file" ("variant_id", recipe_key("index", "recipe")) WHERE "state" = 'done';

-- Two ranges of the index: the entries before and after those of the variant's recipe. The planner expects that a third
-- of the table is in each of them, and would scan all of it.
CREATE FUNCTION files_of_other_recipes(v "variant") RETURNS TABLE ("id" uuid, "track_id" uuid)
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100 SET enable_seqscan = off AS $$
DECLARE
    current_key bigint := recipe_key(v."index", v."props");
BEGIN
    RETURN QUERY SELECT f."id", f."track_id" FROM "track_file" f
        WHERE f."variant_id" = v."id" AND f."state" = 'done' AND recipe_key(f."index", f."recipe") < current_key;
    RETURN QUERY SELECT f."id", f."track_id" FROM "track_file" f
        WHERE f."variant_id" = v."id" AND f."state" = 'done' AND recipe_key(f."index", f."recipe") > current_key;
END $$;

CREATE OR REPLACE VIEW "stale_file" AS
    SELECT f."id", v."organization_id", f."track_id", v."id" AS "variant_id"
    FROM "variant" v CROSS JOIN LATERAL files_of_other_recipes(v) f
    WHERE v."deleted_at" IS NULL
    UNION
    SELECT f."id", t."organization_id", t."id", v."id"
    FROM "track" t
    JOIN "track_file" f ON f."track_id" = t."id"
    JOIN "variant" v ON v."id" = f."variant_id" AND v."deleted_at" IS NULL
    WHERE t."is_recording_replaced" AND is_stale(f, v, t);

-- Without statistics of the new column and index, the planner would join all files.
ANALYZE "track", "track_file";
