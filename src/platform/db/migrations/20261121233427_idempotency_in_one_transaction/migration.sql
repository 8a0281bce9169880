-- An answer is written together with the change that it reports: a row without one is a request that did not finish.
DELETE FROM "idempotency_key" WHERE "status" IS NULL;

-- AlterTable
ALTER TABLE "idempotency_key" DROP COLUMN "locked_until",
DROP COLUMN "status",
ADD COLUMN     "request_id" UUID NOT NULL DEFAULT gen_random_uuid(),
ALTER COLUMN "body" SET NOT NULL;

-- The default only fills the rows that exist.
ALTER TABLE "idempotency_key" ALTER COLUMN "request_id" DROP DEFAULT;
