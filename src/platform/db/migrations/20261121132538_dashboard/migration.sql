-- DropIndex
DROP INDEX "webhook_delivery_endpoint_id_created_at_idx";

-- DropIndex
DROP INDEX "webhook_endpoint_organization_id_created_at_idx";

-- AlterTable
ALTER TABLE "event" ADD COLUMN     "collection_id" UUID,
ADD COLUMN     "creator_id" UUID,
ADD COLUMN     "track_id" UUID;

-- AlterTable
ALTER TABLE "webhook_delivery" ADD COLUMN     "organization_id" UUID;
UPDATE "webhook_delivery" d SET "organization_id" = e."organization_id" FROM "webhook_endpoint" e WHERE e."id" = d."endpoint_id";
ALTER TABLE "webhook_delivery" ALTER COLUMN "organization_id" SET NOT NULL;

-- AlterTable
ALTER TABLE "webhook_endpoint" ADD COLUMN     "secrets_expire_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[];

-- CreateTable
CREATE TABLE "signing_secret" (
    "id" TEXT NOT NULL,
    "organization_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "signed_until" TIMESTAMPTZ(3),

    CONSTRAINT "signing_secret_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "event_collection_id_seq_idx" ON "event"("collection_id", "seq");

-- CreateIndex
CREATE INDEX "event_creator_id_seq_idx" ON "event"("creator_id", "seq");

-- CreateIndex
CREATE INDEX "event_created_at_idx" ON "event"("created_at");

-- CreateIndex
CREATE INDEX "webhook_delivery_organization_id_created_at_id_idx" ON "webhook_delivery"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_delivery_endpoint_id_created_at_id_idx" ON "webhook_delivery"("endpoint_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_endpoint_organization_id_created_at_id_idx" ON "webhook_endpoint"("organization_id", "created_at", "id");

-- AddForeignKey
ALTER TABLE "signing_secret" ADD CONSTRAINT "signing_secret_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What the columns beside `data` are made of.
UPDATE "event" SET
    "creator_id" = ("data"->>'creator_id')::uuid,
    "collection_id" = ("data"->>'collection_id')::uuid,
    "track_id" = ("data"->>'track_id')::uuid;

-- A rotation that is under way goes on for a day.
UPDATE "webhook_endpoint" SET "secrets_expire_at" = array_fill(now() + interval '1 day', ARRAY[cardinality("secrets") - 1])
WHERE cardinality("secrets") > 1;

ALTER TABLE "webhook_endpoint"
    ADD CONSTRAINT "webhook_endpoint_old_secrets_end" CHECK (
        cardinality(coalesce("secrets_expire_at", '{}')) = cardinality("secrets") - 1
    );

ALTER TABLE "signing_secret"
    ADD CONSTRAINT "signing_secret_id_form" CHECK ("id" ~ '^[0-9a-f]{16}$');

-- Events are followed by `seq`, so within an organization it has to grow in the order in which they become visible.
-- What a sequence hands out while a transaction runs does not: whoever commits later may hold the smaller number, and
-- a reader who is past it would never see it. So each event gets its number as its transaction commits, under a lock
-- that ends with the commit. Nothing else is waited for while it is held, however early an event was recorded: two
-- transactions cannot block each other by it.
CREATE FUNCTION "event_take_seq"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(722, hashtext(NEW."organization_id"::text));
    UPDATE "event" SET "seq" = nextval(pg_get_serial_sequence('event', 'seq')) WHERE "seq" = NEW."seq";
    RETURN NULL;
END
$$;

CREATE CONSTRAINT TRIGGER "event_seq_at_commit" AFTER INSERT ON "event"
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "event_take_seq"();
