-- Owner: event

-- Events are followed by `seq`, so within an organization it has to grow in the order in which events become visible. A
-- number from the insertion does not: its transaction may commit after one with a greater number was read. So committed
-- events get their final number before they are read. The lock ends with the commit: numbers of the next call are
-- greater than all that are visible by then. UPDATE is a statement of its own, whose snapshot is taken under the lock.
-- Returns the number of events, at most `most`.
CREATE OR REPLACE FUNCTION event_number(organization uuid, most integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    numbered integer;
BEGIN
    IF NOT EXISTS (SELECT FROM event WHERE organization_id = organization AND NOT is_numbered) THEN
        RETURN 0;
    END IF;
    PERFORM pg_advisory_xact_lock(722, hashtext(organization::text));
    WITH final AS MATERIALIZED (
        SELECT seq, nextval(pg_get_serial_sequence('event', 'seq')) AS number FROM (
            SELECT seq FROM event WHERE organization_id = organization AND NOT is_numbered
            ORDER BY seq LIMIT most
        ) unnumbered
    )
    UPDATE event e SET seq = f.number, is_numbered = true FROM final f WHERE e.seq = f.seq;
    GET DIAGNOSTICS numbered = ROW_COUNT;
    RETURN numbered;
END
$$;
