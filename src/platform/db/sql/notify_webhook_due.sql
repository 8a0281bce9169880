-- Owner: webhook

-- Wakes the workers when the transaction of a due delivery commits.
CREATE OR REPLACE FUNCTION notify_webhook_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('webhook_due', '{"queue":"webhook"}');
    RETURN NULL;
END
$$;

-- An event, whose time its deliveries have, is a little younger than its transaction.
CREATE OR REPLACE TRIGGER webhook_due AFTER INSERT OR UPDATE OF state, next_attempt_at ON webhook_delivery FOR EACH ROW
    WHEN (NEW.state = 'pending' AND NEW.claim_id IS NULL
        AND NEW.next_attempt_at <= clock_timestamp() + interval '1 second')
    EXECUTE FUNCTION notify_webhook_due();
