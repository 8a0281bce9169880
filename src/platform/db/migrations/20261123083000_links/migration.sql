-- Gateways keep in memory what stream links resolve to. The statement that records plays reports what has changed since, so
-- that a change applies to every request that follows it (decision 0047).

-- Changes after which a link may resolve to another file, or to none. A gateway finds those that were not visible in the
-- snapshot of the database that it has seen last. Rows are deleted after a day.
CREATE TABLE ledger.link_change (
    transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
    -- ID of an organization, key, variant, collection or track.
    subject uuid NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX link_change_transaction_id_idx ON ledger.link_change (transaction_id);

CREATE FUNCTION ledger.record_link_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ledger.link_change (subject) VALUES (OLD.id);
    RETURN NULL;
END
$$;
CREATE FUNCTION ledger.record_file_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ledger.link_change (subject) VALUES (OLD.track_id);
    RETURN NULL;
END
$$;

CREATE TRIGGER link_changed AFTER UPDATE OF domain, signing_secrets ON organization FOR EACH ROW
    WHEN ((OLD.domain, OLD.signing_secrets) IS DISTINCT FROM (NEW.domain, NEW.signing_secrets))
    EXECUTE FUNCTION ledger.record_link_change();
CREATE TRIGGER link_changed
    AFTER UPDATE OF revoked_at, expires_at, organization_id, collection_id, track_id, creator_id, variant_id, kind, hash
    ON api_key FOR EACH ROW
    WHEN (OLD.kind = 'share' AND
        (OLD.revoked_at, OLD.expires_at, OLD.organization_id, OLD.collection_id, OLD.track_id, OLD.creator_id, OLD.variant_id,
            OLD.kind, OLD.hash)
        IS DISTINCT FROM
        (NEW.revoked_at, NEW.expires_at, NEW.organization_id, NEW.collection_id, NEW.track_id, NEW.creator_id, NEW.variant_id,
            NEW.kind, NEW.hash))
    EXECUTE FUNCTION ledger.record_link_change();
CREATE TRIGGER link_deleted AFTER DELETE ON api_key FOR EACH ROW WHEN (OLD.kind = 'share')
    EXECUTE FUNCTION ledger.record_link_change();
CREATE TRIGGER link_changed AFTER UPDATE OF deleted_at ON variant FOR EACH ROW
    WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
    EXECUTE FUNCTION ledger.record_link_change();
CREATE TRIGGER link_changed AFTER UPDATE OF deleted_at ON collection FOR EACH ROW
    WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
    EXECUTE FUNCTION ledger.record_link_change();
CREATE TRIGGER link_changed AFTER UPDATE OF deleted_at, organization_id, collection_id, creator_id ON track FOR EACH ROW
    WHEN (OLD.deleted_at IS NULL AND
        (OLD.deleted_at, OLD.organization_id, OLD.collection_id, OLD.creator_id) IS DISTINCT FROM
        (NEW.deleted_at, NEW.organization_id, NEW.collection_id, NEW.creator_id))
    EXECUTE FUNCTION ledger.record_link_change();
CREATE TRIGGER link_changed AFTER UPDATE OF state, path, track_id, variant_id ON track_file FOR EACH ROW
    WHEN (OLD.state = 'done' AND
        (OLD.state, OLD.path, OLD.track_id, OLD.variant_id) IS DISTINCT FROM
        (NEW.state, NEW.path, NEW.track_id, NEW.variant_id))
    EXECUTE FUNCTION ledger.record_file_change();
-- The rows of organizations, variants, collections and tracks cannot be deleted before those of their keys and files.
CREATE TRIGGER link_deleted AFTER DELETE ON track_file FOR EACH ROW WHEN (OLD.state = 'done')
    EXECUTE FUNCTION ledger.record_file_change();

-- Resolves pairs of share key and track; `pair_keys` has the positions of the keys, from 1. Returns no row for an invalid
-- pair. As in `record_plays`, OFFSET 0 and the settings keep the plan right for tables of any size (decision 0019).
CREATE FUNCTION ledger.resolve_links(key_hashes text[], pair_keys int[], pair_tracks uuid[], at timestamptz)
RETURNS TABLE (
    pair int, key_id uuid, organization_id uuid, variant_id uuid, collection_id uuid, creator_id uuid, path text, domain text,
    secret text, expires_at timestamptz, last_used_at timestamptz, snapshot text
)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH share AS MATERIALIZED (
        SELECT h.place, k.*, o.domain, o.signing_secrets[1] AS secret
        FROM unnest(key_hashes) WITH ORDINALITY AS h(hash, place)
        CROSS JOIN LATERAL (
            SELECT id, organization_id, collection_id, track_id, creator_id, variant_id, expires_at, last_used_at
            FROM api_key WHERE hash = h.hash AND kind = 'share' AND revoked_at IS NULL
                AND (expires_at IS NULL OR expires_at > at) OFFSET 0
        ) k
        CROSS JOIN LATERAL (SELECT FROM variant WHERE id = k.variant_id AND deleted_at IS NULL OFFSET 0) v
        CROSS JOIN LATERAL (
            SELECT organization.domain, signing_secrets FROM organization WHERE id = k.organization_id OFFSET 0
        ) o
    )
    SELECT p.pair::int, k.id, k.organization_id, k.variant_id, t.collection_id, t.creator_id, f.path, k.domain, k.secret,
        k.expires_at, k.last_used_at, pg_current_snapshot()::text
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
    ) f;
END
$$;

-- Writes a ledger row for each play of links that were valid in the snapshot `since`. If anything of a link has changed
-- since, returns the subjects of the changes (at most 1,001) and records nothing. Otherwise `changes` is null, and one
-- transaction has recorded all plays. The returned snapshot is the next `since`: the changes up to it have been returned.
-- - pair_*: the links.
-- - kind_*: the kinds of plays. Plays of one kind differ only in their IDs: position of the link, both hashes of the
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
-- Rows of another cluster, from a restored backup, have numbers of transactions that are still to come: they are ignored.
CREATE FUNCTION ledger.record_plays(
    since pg_snapshot, pair_keys uuid[], pair_organizations uuid[], pair_tracks uuid[], pair_variants uuid[],
    pair_collections uuid[], pair_creators uuid[],
    kind_pairs int[], kind_todays uuid[], kind_befores uuid[], kind_referrer_hosts text[],
    kind_exclusions play_exclusion[], kind_firsts uuid[],
    play_ids uuid[], play_kinds int[], at timestamptz
) RETURNS TABLE (snapshot text, changes uuid[])
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
    WITH changed AS MATERIALIZED (
        SELECT subject FROM ledger.link_change
        WHERE transaction_id >= pg_snapshot_xmin(since)
            AND transaction_id < pg_snapshot_xmax(pg_current_snapshot())
            AND NOT pg_visible_in_snapshot(transaction_id, since)
        LIMIT 1001
    ), unheard AS MATERIALIZED (
        SELECT DISTINCT ON (today, track_id, variant_id) today, before, track_id, variant_id, first
        FROM unnest(kind_pairs, kind_todays, kind_befores, kind_exclusions, kind_firsts)
            WITH ORDINALITY AS k(pair, today, before, exclusion, first, place)
        CROSS JOIN LATERAL (SELECT pair_tracks[k.pair] AS track_id, pair_variants[k.pair] AS variant_id) l
        WHERE NOT EXISTS (SELECT FROM changed) AND exclusion IS NULL AND NOT EXISTS (
            SELECT FROM last_listen h
            WHERE h.listener IN (k.today, k.before) AND h.track_id = l.track_id AND h.variant_id = l.variant_id
                AND h.heard_at > at - interval '24 hours'
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
        SELECT id, pair_organizations[kind_pairs[kind]], pair_keys[kind_pairs[kind]], pair_tracks[kind_pairs[kind]],
            pair_variants[kind_pairs[kind]], pair_collections[kind_pairs[kind]], pair_creators[kind_pairs[kind]],
            at, kind_todays[kind], kind_referrer_hosts[kind], CASE
                WHEN kind_exclusions[kind] IS NOT NULL THEN kind_exclusions[kind]
                WHEN id IN (SELECT first FROM listen) THEN NULL
                ELSE 'repeat'
            END
        FROM unnest(play_ids, play_kinds) AS e(id, kind)
        WHERE NOT EXISTS (SELECT FROM changed)
    )
    SELECT pg_current_snapshot()::text, (SELECT array_agg(subject) FROM changed);
END
$$;
