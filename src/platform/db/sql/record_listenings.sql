-- Owner: playback

-- Adds what players report as heard (decision 0088). One call is one transaction. A report of a deleted track has no effect. Its row
-- remains for 30 days, longer than any listening.
-- - track_ids: the track of each report.
-- - todays and befores: both hashes of its listener.
-- - reports: a text of 100 digits. 1: the hundredth was heard.
-- - max_daily: listenings of a track that may begin on a day.
-- - at: the time.
--
-- All reports of a listener about a track within 24 hours are one listening. It belongs to the day on which it began. A repeated
-- report adds nothing, so reports may arrive twice and in any order. `max_daily` bounds what invented
-- listeners can fill of the disk.
--
-- Rows are locked in one order. Of two concurrent transactions the second waits, and finds what the first has added: each statement
-- of the function sees what was committed before it. Shortly after midnight, two processes may have different hashes of a listener, and
-- block each other: one of them fails, and its clients report again. Settings: `record_plays`.
CREATE OR REPLACE FUNCTION ledger.record_listenings(
    track_ids uuid[], todays uuid[], befores uuid[], reports text[], max_daily int, at timestamptz
) RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    day_now date := (at AT TIME ZONE 'UTC')::date;
    -- The track of each listening that begins with this call.
    begun_tracks uuid[];
BEGIN
    WITH begun AS (
        INSERT INTO listening AS l (track_id, listener, hundredths, heard_at)
        SELECT DISTINCT r.track_id, r.today, 0::bit(100), at
        FROM unnest(track_ids, todays, befores) AS r(track_id, today, before)
        WHERE EXISTS (
            SELECT FROM track t WHERE t.id = r.track_id AND t.deleted_at IS NULL
            OFFSET 0
        ) AND NOT EXISTS (
            SELECT FROM listening e
            WHERE e.track_id = r.track_id AND e.listener IN (r.today, r.before) AND e.heard_at > at - interval '24 hours'
            OFFSET 0
        ) AND NOT EXISTS (
            SELECT FROM retention_day d WHERE d.track_id = r.track_id AND d.day = day_now AND d.listenings >= max_daily
            OFFSET 0
        )
        ORDER BY r.track_id, r.today
        ON CONFLICT (track_id, listener) DO NOTHING
        RETURNING l.track_id
    )
    SELECT array_agg(track_id) INTO begun_tracks FROM begun;

    WITH report AS MATERIALIZED (
        SELECT track_id, today, before, bit_or(hundredths::bit(100)) AS hundredths
        FROM unnest(track_ids, todays, befores, reports) AS r(track_id, today, before, hundredths)
        GROUP BY track_id, today, before
        ORDER BY track_id, today
    ), locked AS MATERIALIZED (
        SELECT r.track_id, l.listener, (l.heard_at AT TIME ZONE 'UTC')::date AS day, r.hundredths & ~l.hundredths AS added
        FROM report r CROSS JOIN LATERAL (
            SELECT e.listener, e.hundredths, e.heard_at FROM listening e
            WHERE e.track_id = r.track_id AND e.listener IN (r.today, r.before) AND e.heard_at > at - interval '24 hours'
            FOR UPDATE
        ) l
    ), changed AS (
        UPDATE listening l SET hundredths = l.hundredths | k.added FROM locked k
        WHERE l.track_id = k.track_id AND l.listener = k.listener AND k.added <> 0::bit(100)
    ), begun AS (
        SELECT track_id, day_now AS day, count(*)::int AS listenings FROM unnest(begun_tracks) AS track_id GROUP BY track_id
    ), sum_of_day AS MATERIALIZED (
        -- The digits of one listening are its counts.
        SELECT l.track_id, l.day, l.listenings, CASE
            WHEN l.listenings = 1 THEN string_to_array(l.added[1]::text, NULL)::int[]
            ELSE ARRAY(
                SELECT (SELECT count(*) FROM unnest(l.added) AS bits WHERE get_bit(bits, place) = 1)::int
                FROM generate_series(0, 99) AS place
            )
        END AS hundredths
        FROM (
            SELECT track_id, day, count(*)::int AS listenings, array_agg(added) AS added FROM locked GROUP BY track_id, day
        ) l
    )
    -- Without a row of the day, all of its listenings have begun with this call.
    INSERT INTO retention_day AS d (track_id, day, listenings, hundredths)
    SELECT track_id, day, listenings, hundredths FROM sum_of_day
    WHERE (track_id, day) IN (SELECT track_id, day FROM begun) OR 0 < ANY (hundredths)
    ORDER BY track_id, day
    ON CONFLICT (track_id, day) DO UPDATE SET
        listenings = d.listenings + coalesce(
            (SELECT b.listenings FROM begun b WHERE b.track_id = d.track_id AND b.day = d.day), 0
        ),
        hundredths = ARRAY(
            SELECT a + b FROM unnest(d.hundredths, excluded.hundredths) WITH ORDINALITY AS s(a, b, place) ORDER BY place
        );
END
$$;
