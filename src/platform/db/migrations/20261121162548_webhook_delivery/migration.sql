-- AlterTable
ALTER TABLE "webhook_delivery" ADD COLUMN     "attempts_before" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "claim_id" UUID;

-- What waits for its next attempt, found endpoint by endpoint; and what is under way.
CREATE INDEX "webhook_delivery_pending" ON "webhook_delivery" ("endpoint_id", "next_attempt_at") WHERE "state" = 'pending';
CREATE INDEX "webhook_delivery_under_way" ON "webhook_delivery" ("endpoint_id") WHERE "claim_id" IS NOT NULL;

-- In the database, so that no writer of an event can forget it, and a delivery is there exactly when its event is.
-- The lock on the endpoint is the one that a foreign key takes, taken before the row is written: an endpoint that is
-- being deleted is waited for and left out, where the foreign key would make the event itself fail.
CREATE FUNCTION event_fan_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "webhook_delivery" ("id", "organization_id", "endpoint_id", "event_id", "next_attempt_at", "created_at")
    SELECT gen_random_uuid(), NEW."organization_id", "open"."id", NEW."id", NEW."created_at", NEW."created_at"
    FROM (
        SELECT e."id" FROM "webhook_endpoint" e
        WHERE e."organization_id" = NEW."organization_id" AND e."disabled_at" IS NULL
            AND (cardinality(e."event_types") = 0 OR NEW."type" = ANY (e."event_types"))
        FOR KEY SHARE
    ) "open";
    RETURN NULL;
END
$$;
-- A test is sent to the one endpoint that it is for.
CREATE TRIGGER "event_fan_out" AFTER INSERT ON "event"
    FOR EACH ROW WHEN (NEW."type" <> 'webhook.test') EXECUTE FUNCTION event_fan_out();

-- Wakes the workers when the transaction commits. An event is a little younger than its transaction.
CREATE FUNCTION webhook_delivery_tell_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('webhook_due', '{"queue":"webhook"}');
    RETURN NULL;
END
$$;
CREATE TRIGGER "webhook_delivery_tell_due" AFTER INSERT OR UPDATE OF "state", "next_attempt_at" ON "webhook_delivery"
    FOR EACH ROW WHEN (NEW."state" = 'pending' AND NEW."claim_id" IS NULL AND NEW."next_attempt_at" <= clock_timestamp() + interval '1 second')
    EXECUTE FUNCTION webhook_delivery_tell_due();
