-- Owner: playback

-- Decides which plays the limits of their share keys admit, and counts those (decision 0083). `record_plays` then opens them. One
-- call is one transaction. No row for a play whose link is not open, or whose key has no limits.
-- - key_hashes: the key of each play, as for `record_plays`.
-- - todays and befores: both hashes of its listener.
-- - origins: the country of its client, ISO 3166-1 alpha-2, or null.
-- - passwords: the password that its client has given, as the first digits of the MD5 of its stored hash, or null.
-- - at: the time.
-- `refusal` is null for an admitted play, else the limit that refuses it.
--
-- The counts of the keys are locked in one order: of two concurrent transactions the second waits, and finds what the first has
-- counted. A listener who plays a track again within 24 hours is counted once. Requests of programs count as well: each receives the
-- address of the file. Settings: `record_plays`.
CREATE OR REPLACE FUNCTION ledger.admit_plays(
    key_hashes text[], track_ids uuid[], todays uuid[], befores uuid[], origins text[], passwords text[],
    at timestamptz
) RETURNS TABLE (place int, refusal text)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    play record;
    is_repeat boolean;
    -- Keys with a limit that is counted.
    counting uuid[];
BEGIN
    SELECT array_agg(DISTINCT k.id) INTO counting FROM unnest(key_hashes) AS h(hash)
    CROSS JOIN LATERAL ledger.open_share(split_part(h.hash, ' ', 1), at) k
    WHERE num_nonnulls(k.max_plays, k.max_daily_listeners, k.max_concurrent_listeners) > 0;
    INSERT INTO share_count (id) SELECT id FROM unnest(counting) AS id ORDER BY id ON CONFLICT DO NOTHING;
    PERFORM FROM share_count WHERE id = ANY (counting) ORDER BY id FOR UPDATE;

    FOR play IN
        SELECT p.*, k.id AS key_id, k.max_plays, k.max_daily_listeners, k.max_concurrent_listeners, k.countries,
            k.password_hash, coalesce(t.duration_seconds, 0) * interval '1 second' AS duration
        FROM unnest(key_hashes, track_ids, todays, befores, origins, passwords)
            WITH ORDINALITY AS p(hash, track_id, today, before, country, password, place)
        CROSS JOIN LATERAL ledger.open_share(split_part(p.hash, ' ', 1), at) k
        CROSS JOIN LATERAL ledger.open_link(k, p.track_id) l
        JOIN track t ON t.id = p.track_id
        WHERE ledger.has_limits(k)
            AND (k.sites = '{}' OR strpos(p.hash, ' ') = 0 OR ledger.is_site_allowed(split_part(p.hash, ' ', 2), k.sites))
        ORDER BY p.place
    LOOP
        is_repeat := EXISTS (
            SELECT FROM share_listen s WHERE s.key_id = play.key_id AND s.listener IN (play.today, play.before)
                AND s.track_id = play.track_id AND s.heard_at > at - interval '24 hours'
        );
        refusal := CASE
            WHEN play.countries <> '{}' AND NOT coalesce(play.country = ANY (play.countries), false) THEN 'country'
            WHEN play.password_hash IS NOT NULL AND play.password IS DISTINCT FROM left(md5(play.password_hash), 8)
                THEN 'password'
            WHEN NOT is_repeat AND play.max_plays <= (SELECT c.plays FROM share_count c WHERE c.id = play.key_id)
                THEN 'plays'
            WHEN play.max_daily_listeners IS NOT NULL AND play.max_daily_listeners <= (
                SELECT count(*) FROM (
                    SELECT FROM share_listener s WHERE s.key_id = play.key_id AND s.heard_at > at - interval '24 hours'
                        AND s.listener NOT IN (play.today, play.before) LIMIT play.max_daily_listeners
                ) others
            ) THEN 'listeners'
            WHEN play.max_concurrent_listeners IS NOT NULL AND play.max_concurrent_listeners <= (
                SELECT count(*) FROM (
                    SELECT FROM share_listener s WHERE s.key_id = play.key_id AND s.ends_at > at
                        AND s.listener NOT IN (play.today, play.before) LIMIT play.max_concurrent_listeners
                ) others
            ) THEN 'concurrent'
        END;
        place := play.place;
        IF refusal IS NULL AND play.key_id = ANY (counting) THEN
            -- After midnight, a listener has another hash.
            DELETE FROM share_listener s WHERE s.key_id = play.key_id AND s.listener = play.before;
            INSERT INTO share_listener AS s (key_id, listener, heard_at, ends_at)
            VALUES (play.key_id, play.today, at, at + play.duration)
            ON CONFLICT (key_id, listener) DO UPDATE SET heard_at = excluded.heard_at, ends_at = excluded.ends_at;
            IF NOT is_repeat THEN
                INSERT INTO share_listen AS s (key_id, listener, track_id, heard_at)
                VALUES (play.key_id, play.today, play.track_id, at)
                ON CONFLICT (key_id, listener, track_id) DO UPDATE SET heard_at = excluded.heard_at;
                UPDATE share_count c SET plays = c.plays + 1 WHERE c.id = play.key_id;
            END IF;
        END IF;
        RETURN NEXT;
    END LOOP;
END
$$;
