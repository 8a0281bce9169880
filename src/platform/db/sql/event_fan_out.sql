-- Owner: webhook

-- Plans the deliveries of an event in its transaction, for every writer of events. The lock is that of the foreign key,
-- taken before the row is written: an endpoint that is being deleted is waited for and left out, and does not make the
-- event fail.
CREATE OR REPLACE FUNCTION event_fan_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO webhook_delivery (id, organization_id, endpoint_id, event_id, next_attempt_at, created_at)
    SELECT gen_random_uuid(), NEW.organization_id, endpoint.id, NEW.id, NEW.created_at, NEW.created_at
    FROM (
        SELECT e.id FROM webhook_endpoint e
        WHERE e.organization_id = NEW.organization_id AND e.disabled_at IS NULL
            AND (cardinality(e.event_types) = 0 OR NEW.type = ANY (e.event_types))
        FOR KEY SHARE
    ) endpoint;
    RETURN NULL;
END
$$;

-- A test is sent to one endpoint only, by the use case that records it.
CREATE OR REPLACE TRIGGER event_fan_out AFTER INSERT ON event FOR EACH ROW
    WHEN (NEW.type <> 'webhook.test') EXECUTE FUNCTION event_fan_out();
