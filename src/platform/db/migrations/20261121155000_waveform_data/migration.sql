-- Levels have waveform data beside them from now on. Files that exist have none: against their variant they are stale,
-- and get it when that is applied.
UPDATE "variant" SET "props" = '{"samples_per_pixel": 256, "bits": 8}' || "props" WHERE "type" = 'levels';

-- What is still to be made carries the parameters in its row.
UPDATE "track_file" f SET "props" = v."props"
FROM "variant" v WHERE v."id" = f."variant_id" AND v."type" = 'levels' AND f."state" <> 'done';
