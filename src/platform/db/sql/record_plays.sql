-- Owner: playback

-- Opens pairs of share key and track, and writes a ledger row for each play of an open pair. One call is one transaction,
-- so every returned file has been counted. No row for a pair that is not open.
-- - key_hashes: the keys. After a space, the host of another site whose page asks; a key may be limited to sites. A `+` before
--   the key: its limits have admitted the plays (`admit_plays`). Without it, a key with limits opens nothing.
-- - pair_keys and pair_tracks: the pairs, each with the position of its key.
-- - kind_*: the kinds of plays. Plays of one kind differ only in their IDs: position of the pair, both hashes of the
--   listener, host of the referrer, exclusion, ID of the first play. The host may be followed by app, device and country, each
--   after a bar.
-- - play_ids and play_kinds: the plays, each with the position of its kind.
-- - at: the time.
-- Positions count from 1. `due_key_id` is the key if its last use was more than an hour ago.
--
-- The first play of a file by a listener in 24 hours is a listen. Both hashes are searched, including that of the day
-- before. Of two concurrent transactions the second waits for the first and finds its row. Shortly after midnight, other
-- processes may still use the hashes of the day before: until then a listen is written under both hashes, and requires
-- that neither existed. Rows are locked in one order, so that no deadlock is possible.
--
-- The plan is made once for each connection, and must be right for tables of any size: at the first plays of a month the
-- tables are empty. Hence the settings.
CREATE OR REPLACE FUNCTION ledger.record_plays(
    key_hashes text[], pair_keys int[], pair_tracks uuid[],
    kind_pairs int[], kind_todays uuid[], kind_befores uuid[], kind_referrer_hosts text[],
    kind_exclusions play_exclusion[], kind_firsts uuid[],
    play_ids uuid[], play_kinds int[], at timestamptz
) RETURNS TABLE (pair int, path text, domain text, secret text, due_key_id uuid)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    -- Covers the difference between the clocks of processes, and the duration of a transaction.
    is_after_midnight boolean := (at AT TIME ZONE 'UTC')::time < '00:10';
BEGIN
    RETURN QUERY
    WITH share AS MATERIALIZED (
        SELECT h.place, k AS key, o.domain, o.secret
        FROM unnest(key_hashes) WITH ORDINALITY AS h(hash, place)
        CROSS JOIN LATERAL ledger.open_share(ltrim(split_part(h.hash, ' ', 1), '+'), at) k
        CROSS JOIN LATERAL (
            SELECT organization.domain, signing_secrets[1] AS secret FROM organization
            WHERE id = k.organization_id OFFSET 0
        ) o
        WHERE (k.sites = '{}' OR strpos(h.hash, ' ') = 0 OR ledger.is_site_allowed(split_part(h.hash, ' ', 2), k.sites))
            AND (starts_with(h.hash, '+') OR NOT ledger.has_limits(k))
    ), opened AS MATERIALIZED (
        SELECT p.pair, (s.key).id AS key_id, (s.key).organization_id, (s.key).variant_id, p.track_id, l.collection_id,
            l.creator_id, l.path, s.domain, s.secret,
            (s.key).last_used_at IS NULL OR (s.key).last_used_at <= at - interval '1 hour' AS is_due
        FROM unnest(pair_keys, pair_tracks) WITH ORDINALITY AS p(key, track_id, pair)
        JOIN share s ON s.place = p.key
        CROSS JOIN LATERAL ledger.open_link(s.key, p.track_id) l
    ), kind AS MATERIALIZED (
        SELECT a.*, o.key_id, o.organization_id, o.variant_id, o.track_id, o.collection_id, o.creator_id,
            string_to_array(a.origin, '|', '') AS origins
        FROM unnest(kind_pairs, kind_todays, kind_befores, kind_referrer_hosts, kind_exclusions, kind_firsts)
            WITH ORDINALITY AS a(pair, today, before, origin, exclusion, first, place)
        JOIN opened o ON o.pair = a.pair
    ), unheard AS MATERIALIZED (
        SELECT DISTINCT ON (today, track_id, variant_id) today, before, track_id, variant_id, first FROM kind
        WHERE exclusion IS NULL AND NOT EXISTS (
            SELECT FROM last_listen l
            WHERE l.listener IN (kind.today, kind.before) AND l.track_id = kind.track_id
                AND l.variant_id = kind.variant_id AND l.heard_at > at - interval '24 hours'
            OFFSET 0
        )
        ORDER BY today, track_id, variant_id, place
    ), heard AS (
        INSERT INTO last_listen AS l (listener, track_id, variant_id, heard_at)
        SELECT hash, track_id, variant_id, at
        FROM unheard CROSS JOIN LATERAL (VALUES (today), (before)) AS h(hash)
        WHERE hash = today OR is_after_midnight
        ORDER BY hash, track_id, variant_id
        ON CONFLICT (listener, track_id, variant_id) DO UPDATE SET heard_at = excluded.heard_at
            WHERE l.heard_at <= excluded.heard_at - interval '24 hours'
        RETURNING listener, track_id, variant_id
    ), listen AS (
        SELECT first FROM unheard
        WHERE (today, track_id, variant_id) IN (SELECT listener, track_id, variant_id FROM heard)
            AND (NOT is_after_midnight
                OR (before, track_id, variant_id) IN (SELECT listener, track_id, variant_id FROM heard))
    ), counted AS (
        INSERT INTO play_event (id, organization_id, key_id, track_id, variant_id, collection_id, creator_id,
            created_at, listener, referrer_host, app, device, country, exclusion)
        SELECT e.id, k.organization_id, k.key_id, k.track_id, k.variant_id, k.collection_id, k.creator_id,
            at, k.today, k.origins[1], k.origins[2], k.origins[3], k.origins[4], CASE
                WHEN k.exclusion IS NOT NULL THEN k.exclusion
                WHEN e.id IN (SELECT first FROM listen) THEN NULL
                ELSE 'repeat'
            END
        FROM unnest(play_ids, play_kinds) AS e(id, place) JOIN kind k ON k.place = e.place
    )
    SELECT o.pair::int, o.path, o.domain, o.secret, CASE WHEN o.is_due THEN o.key_id END FROM opened o;
END
$$;
