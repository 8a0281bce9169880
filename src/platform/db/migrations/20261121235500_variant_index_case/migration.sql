-- Two variant indexes that differ only in case collide (contract, section 3). Indexes are ASCII, hence the collation "C":
-- in some locales lower('I') is not 'i'.

-- Of existing indexes that differ only in case, one keeps its name: an organization-wide variant before a track's, then
-- the older one. Each other index gets a suffix from its variant's id. Its finished files keep their addresses until
-- they are made again, as after any change of an index. Player keys and play sessions that name it follow.
DO $$
DECLARE
    loser record;
BEGIN
    FOR loser IN
        SELECT v."id", v."organization_id", v."track_id", v."index" AS "before",
               left(v."index", 55) || '-' || right(v."id"::text, 8) AS "after"
        FROM "variant" v
        WHERE v."deleted_at" IS NULL AND EXISTS (
            SELECT FROM "variant" o
            WHERE o."organization_id" = v."organization_id" AND o."deleted_at" IS NULL AND o."id" <> v."id"
              AND lower(o."index" COLLATE "C") = lower(v."index" COLLATE "C")
              AND (o."track_id" IS NULL OR v."track_id" IS NULL OR o."track_id" = v."track_id")
              AND (o."track_id" IS NOT NULL, o."created_at", o."id") < (v."track_id" IS NOT NULL, v."created_at", v."id")
        )
    LOOP
        UPDATE "variant" SET "index" = loser."after", "updated_at" = now() WHERE "id" = loser."id";
        UPDATE "api_key" SET "variants" = array_replace("variants", loser."before", loser."after")
        WHERE "organization_id" = loser."organization_id" AND loser."before" = ANY ("variants")
          AND (loser."track_id" IS NULL OR "track_id" = loser."track_id");
        UPDATE "play_session" SET "variants" = array_replace("variants", loser."before", loser."after")
        WHERE "organization_id" = loser."organization_id" AND loser."before" = ANY ("variants")
          AND (loser."track_id" IS NULL OR "track_id" = loser."track_id");
    END LOOP;
END
$$;

ALTER TABLE "variant"
    DROP CONSTRAINT "variant_index_taken",
    ADD CONSTRAINT "variant_index_taken" EXCLUDE USING gist (
        "organization_id" WITH =,
        lower("index" COLLATE "C") WITH =,
        uuid_range("track_id", "track_id", '[]') WITH &&
    ) WHERE ("deleted_at" IS NULL);

-- For the search for files that an index still names, which ignores case, too.
CREATE INDEX "track_file_variant_id_lower_index_idx" ON "track_file" ("variant_id", lower("index" COLLATE "C"));
