-- Existing events have the number of their commit. Both statements only change the catalog.
ALTER TABLE "event" ADD COLUMN "is_numbered" BOOLEAN NOT NULL DEFAULT true;
ALTER TABLE "event" ALTER COLUMN "is_numbered" SET DEFAULT false;

CREATE INDEX "event_unnumbered" ON "event" ("organization_id", "seq") WHERE NOT "is_numbered";

-- The trigger locked the organization from before the commit until its end, so that its commits could not share a flush.
DROP TRIGGER "event_seq_at_commit" ON "event";
DROP FUNCTION "event_take_seq"();

-- Events are followed by `seq`, so within an organization it has to grow in the order in which events become visible. A
-- number from the insertion does not: its transaction may commit after one with a greater number was read. So committed
-- events get their final number before they are read. The lock ends with the commit: numbers of the next call are
-- greater than all that are visible by then. UPDATE is a statement of its own, whose snapshot is taken under the lock.
-- Returns the number of events, at most `most`.
CREATE FUNCTION "event_number"("organization" UUID, "most" INTEGER) RETURNS INTEGER LANGUAGE plpgsql AS $$
DECLARE
    "numbered" INTEGER;
BEGIN
    IF NOT EXISTS (SELECT FROM "event" WHERE "organization_id" = "organization" AND NOT "is_numbered") THEN
        RETURN 0;
    END IF;
    PERFORM pg_advisory_xact_lock(722, hashtext("organization"::text));
    WITH "final" AS MATERIALIZED (
        SELECT "seq", nextval(pg_get_serial_sequence('event', 'seq')) AS "number" FROM (
            SELECT "seq" FROM "event" WHERE "organization_id" = "organization" AND NOT "is_numbered"
            ORDER BY "seq" LIMIT "most"
        ) "unnumbered"
    )
    UPDATE "event" e SET "seq" = f."number", "is_numbered" = true FROM "final" f WHERE e."seq" = f."seq";
    GET DIAGNOSTICS "numbered" = ROW_COUNT;
    RETURN "numbered";
END
$$;
