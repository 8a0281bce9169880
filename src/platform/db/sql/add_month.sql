-- Owner: usage

-- Creates the partition of a month, with the rows that the default partition has of it. Does nothing if it exists.
CREATE OR REPLACE FUNCTION ledger.add_month(at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    starts timestamptz := date_trunc('month', at, 'UTC');
    ends timestamptz := (starts AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC';
    part text := 'play_event_' || to_char(starts AT TIME ZONE 'UTC', 'YYYY_MM');
BEGIN
    IF to_regclass('ledger.' || part) IS NOT NULL THEN
        RETURN;
    END IF;
    EXECUTE format('CREATE TABLE ledger.%I (LIKE play_event INCLUDING ALL)', part);
    -- Plays that are written from now on wait, and find the partition.
    LOCK TABLE ledger.play_event_rest IN ACCESS EXCLUSIVE MODE;
    EXECUTE format(
        'WITH moved AS (DELETE FROM ledger.play_event_rest WHERE created_at >= %L AND created_at < %L RETURNING *)
         INSERT INTO ledger.%I SELECT * FROM moved', starts, ends, part);
    EXECUTE format('ALTER TABLE play_event ATTACH PARTITION ledger.%I FOR VALUES FROM (%L) TO (%L)', part, starts, ends);
END
$$;
