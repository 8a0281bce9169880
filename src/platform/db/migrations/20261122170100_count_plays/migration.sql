-- Resolves pairs of share key and track, and writes a ledger row for each play of a valid pair. One call is one
-- transaction, so every returned file has been counted.
-- - key_hashes: the keys.
-- - pair_keys and pair_tracks: the pairs, each with the position of its key.
-- - kind_*: the kinds of plays. Plays of one kind differ only in their IDs: position of the pair, both hashes of the
--   listener, host of the referrer, exclusion, ID of the first play.
-- - play_ids and play_kinds: the plays, each with the position of its kind.
-- - at: the time.
-- Positions count from 1.
--
-- The first play of a file by a listener in 24 hours is a listen. Both hashes are searched, including that of the day
-- before. Of two concurrent transactions the second waits for the first and finds its row. Shortly after midnight, other
-- processes may still use the hashes of the day before: until then a listen is written under both hashes, and requires
-- that neither existed. Rows are locked in one order, so that no deadlock is possible.
--
-- The plan is made once for each connection, and must be right for tables of any size: at the first plays of a month the
-- tables are empty. OFFSET 0 keeps the subqueries out of joins that read whole tables, and the settings enforce indexes.
CREATE FUNCTION ledger.count_plays(
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
        SELECT h.place, k.id, k.organization_id, k.collection_id, k.track_id, k.creator_id, k.variant_id,
            o.domain, o.signing_secrets[1] AS secret,
            k.last_used_at IS NULL OR k.last_used_at <= at - interval '1 hour' AS is_due
        FROM unnest(key_hashes) WITH ORDINALITY AS h(hash, place)
        CROSS JOIN LATERAL (
            SELECT * FROM api_key WHERE hash = h.hash AND kind = 'share' AND revoked_at IS NULL
                AND (expires_at IS NULL OR expires_at > at) OFFSET 0
        ) k
        CROSS JOIN LATERAL (SELECT FROM variant WHERE id = k.variant_id AND deleted_at IS NULL OFFSET 0) v
        CROSS JOIN LATERAL (
            SELECT organization.domain, signing_secrets FROM organization WHERE id = k.organization_id OFFSET 0
        ) o
    ), playable AS MATERIALIZED (
        SELECT p.pair, k.id AS key_id, k.organization_id, k.variant_id, p.track_id, t.collection_id, t.creator_id,
            f.path, k.domain, k.secret, k.is_due
        FROM unnest(pair_keys, pair_tracks) WITH ORDINALITY AS p(key, track_id, pair)
        JOIN share k ON k.place = p.key
        CROSS JOIN LATERAL (
            SELECT collection_id, creator_id FROM track WHERE id = p.track_id AND deleted_at IS NULL
                AND organization_id = k.organization_id
                AND (k.collection_id IS NULL OR k.collection_id = collection_id)
                AND (k.track_id IS NULL OR k.track_id = id)
                AND (k.creator_id IS NULL OR k.creator_id = creator_id) OFFSET 0
        ) t
        CROSS JOIN LATERAL (SELECT FROM collection WHERE id = t.collection_id AND deleted_at IS NULL OFFSET 0) c
        CROSS JOIN LATERAL (
            SELECT track_file.path FROM track_file
            WHERE track_id = p.track_id AND variant_id = k.variant_id AND state = 'done' OFFSET 0
        ) f
    ), kind AS MATERIALIZED (
        SELECT a.*, p.key_id, p.organization_id, p.variant_id, p.track_id, p.collection_id, p.creator_id
        FROM unnest(kind_pairs, kind_todays, kind_befores, kind_referrer_hosts, kind_exclusions, kind_firsts)
            WITH ORDINALITY AS a(pair, today, before, referrer_host, exclusion, first, place)
        JOIN playable p ON p.pair = a.pair
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
            created_at, listener, referrer_host, exclusion)
        SELECT e.id, k.organization_id, k.key_id, k.track_id, k.variant_id, k.collection_id, k.creator_id,
            at, k.today, k.referrer_host, CASE
                WHEN k.exclusion IS NOT NULL THEN k.exclusion
                WHEN e.id IN (SELECT first FROM listen) THEN NULL
                ELSE 'repeat'
            END
        FROM unnest(play_ids, play_kinds) AS e(id, place) JOIN kind k ON k.place = e.place
    )
    SELECT p.pair::int, p.path, p.domain, p.secret, CASE WHEN p.is_due THEN p.key_id END FROM playable p;
END
$$;
