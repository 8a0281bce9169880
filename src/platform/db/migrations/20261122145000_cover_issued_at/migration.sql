-- AlterTable
ALTER TABLE "organization" ADD COLUMN "cover_issued_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "collection" ADD COLUMN "cover_issued_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "track" ADD COLUMN "cover_issued_at" TIMESTAMPTZ(3);

-- Addresses are valid for an hour: those that were used before stay used.
UPDATE "organization" SET "cover_issued_at" = "cover_uploaded_at" WHERE "cover_uploaded_at" > now() - interval '2 hours';
UPDATE "collection" SET "cover_issued_at" = "cover_uploaded_at" WHERE "cover_uploaded_at" > now() - interval '2 hours';
UPDATE "track" SET "cover_issued_at" = "cover_uploaded_at" WHERE "cover_uploaded_at" > now() - interval '2 hours';
