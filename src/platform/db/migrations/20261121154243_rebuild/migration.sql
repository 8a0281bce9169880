-- AlterTable
ALTER TABLE "job" ADD COLUMN     "variant_ids" UUID[] DEFAULT ARRAY[]::UUID[];

-- Where it is not known of which recording a file was made, or which one the track has, that says nothing.
CREATE VIEW "stale_file" AS
    SELECT f."id", f."organization_id", f."track_id", f."variant_id"
    FROM "track_file" f
    JOIN "variant" v ON v."id" = f."variant_id" AND v."deleted_at" IS NULL
    JOIN "track" t ON t."id" = f."track_id"
    WHERE f."state" = 'done'
        AND ((f."index", f."recipe") IS DISTINCT FROM (v."index", v."props") OR f."source_sha256" <> t."source_sha256");
