-- Contract: needs 20261123205531_failures_of_jobs
-- Stream links are resolved and counted by one function again, without a memory of gateways (decision 0060). Only edges still
-- read the log of changes, so it records what ends a delivery (decision 0048).

DROP TRIGGER link_changed ON organization;
DROP TRIGGER link_changed ON api_key;
DROP TRIGGER link_deleted ON api_key;
DROP TRIGGER link_changed ON variant;
DROP TRIGGER link_changed ON collection;
DROP TRIGGER link_changed ON track;
DROP TRIGGER link_changed ON track_file;
DROP TRIGGER link_deleted ON track_file;
DROP FUNCTION ledger.count_plays(
    text[], int[], uuid[], int[], uuid[], uuid[], text[], play_exclusion[], uuid[], uuid[], int[], timestamptz);
DROP FUNCTION ledger.record_plays(
    pg_snapshot, uuid[], uuid[], uuid[], uuid[], uuid[], uuid[], int[], uuid[], uuid[], text[], play_exclusion[], uuid[],
    uuid[], int[], timestamptz);
DROP FUNCTION ledger.resolve_links(text[], int[], uuid[], timestamptz);
DROP FUNCTION ledger.changes_since(pg_snapshot);
DROP FUNCTION ledger.record_link_change();
DROP FUNCTION ledger.record_file_change();

-- Changes after which an address may deliver another file, or none. An edge finds those that were not visible in the
-- snapshot of the database that it has seen last. Rows are deleted after a day.
ALTER TABLE ledger.link_change RENAME TO delivery_change;
ALTER INDEX ledger.link_change_transaction_id_idx RENAME TO delivery_change_transaction_id_idx;
COMMENT ON COLUMN ledger.delivery_change.subject IS 'ID of an organization, variant, collection or track';

CREATE FUNCTION ledger.record_delivery_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ledger.delivery_change (subject) VALUES (OLD.id);
    RETURN NULL;
END
$$;
-- The deletion of its track has ended the deliveries of a file before.
CREATE FUNCTION ledger.record_file_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ledger.delivery_change (subject)
    SELECT OLD.track_id WHERE NOT EXISTS (SELECT FROM track WHERE id = OLD.track_id AND deleted_at IS NOT NULL);
    RETURN NULL;
END
$$;
CREATE TRIGGER delivery_changed AFTER UPDATE OF signing_secrets ON organization FOR EACH ROW
    WHEN (OLD.signing_secrets IS DISTINCT FROM NEW.signing_secrets)
    EXECUTE FUNCTION ledger.record_delivery_change();
CREATE TRIGGER delivery_changed AFTER UPDATE OF deleted_at ON variant FOR EACH ROW
    WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
    EXECUTE FUNCTION ledger.record_delivery_change();
CREATE TRIGGER delivery_changed AFTER UPDATE OF deleted_at ON collection FOR EACH ROW
    WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
    EXECUTE FUNCTION ledger.record_delivery_change();
CREATE TRIGGER delivery_changed AFTER UPDATE OF deleted_at, organization_id, collection_id ON track FOR EACH ROW
    WHEN (OLD.deleted_at IS NULL AND
        (OLD.deleted_at, OLD.organization_id, OLD.collection_id) IS DISTINCT FROM
        (NEW.deleted_at, NEW.organization_id, NEW.collection_id))
    EXECUTE FUNCTION ledger.record_delivery_change();
-- Also a file that remains done: an edge keeps everything that its answers contain.
CREATE TRIGGER delivery_changed
    AFTER UPDATE OF state, path, track_id, variant_id, storage_key, size, sha256, content_type, file_name, completed_at
    ON track_file FOR EACH ROW
    WHEN (OLD.state = 'done' AND
        (OLD.state, OLD.path, OLD.track_id, OLD.variant_id, OLD.storage_key, OLD.size, OLD.sha256, OLD.content_type,
            OLD.file_name, OLD.completed_at)
        IS DISTINCT FROM
        (NEW.state, NEW.path, NEW.track_id, NEW.variant_id, NEW.storage_key, NEW.size, NEW.sha256, NEW.content_type,
            NEW.file_name, NEW.completed_at))
    EXECUTE FUNCTION ledger.record_file_change();
-- The rows of organizations, variants, collections and tracks cannot be deleted before those of their files.
CREATE TRIGGER delivery_deleted AFTER DELETE ON track_file FOR EACH ROW WHEN (OLD.state = 'done')
    EXECUTE FUNCTION ledger.record_file_change();

-- Returns the subjects of the changes that were not visible in the snapshot `since`, and the snapshot of the calling
-- statement as the next `since`. The subjects are null without a change, and empty above 100, since a statement may repeat
-- them in each row. Without `since` there are no changes. Rows of another cluster, from a restored backup, have numbers of
-- transactions that are still to come: they are ignored.
CREATE FUNCTION ledger.changes_since(since pg_snapshot) RETURNS TABLE (snapshot text, changes uuid[])
LANGUAGE plpgsql STABLE ROWS 1
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    RETURN QUERY
    SELECT pg_current_snapshot()::text, (
        SELECT CASE WHEN count(*) > 100 THEN '{}' ELSE array_agg(c.subject) END FROM (
            SELECT subject FROM ledger.delivery_change
            WHERE transaction_id >= pg_snapshot_xmin(since)
                AND transaction_id < pg_snapshot_xmax(pg_current_snapshot())
                AND NOT pg_visible_in_snapshot(transaction_id, since)
            LIMIT 101
        ) c
    );
END
$$;

-- Which stream link is open: the two functions that follow, for stream links and the pages of share links alike. Both are
-- inlined into the calling statement. OFFSET 0 keeps their lookups out of joins that read whole tables (decision 0019).

-- The share key of a hash, if it is valid at a time.
CREATE FUNCTION ledger.open_share(key_hash text, at timestamptz) RETURNS SETOF api_key
LANGUAGE sql STABLE ROWS 1
AS $$
    SELECT k.* FROM (
        SELECT * FROM api_key WHERE hash = key_hash AND kind = 'share' AND revoked_at IS NULL
            AND (expires_at IS NULL OR expires_at > at) OFFSET 0
    ) k
    CROSS JOIN LATERAL (SELECT FROM variant WHERE id = k.variant_id AND deleted_at IS NULL OFFSET 0) v
$$;

-- The file that a valid share key plays of a track. No row if the stream link of both is not open.
CREATE FUNCTION ledger.open_link(share api_key, id uuid)
RETURNS TABLE (collection_id uuid, creator_id uuid, path text)
LANGUAGE sql STABLE ROWS 1
AS $$
    SELECT t.collection_id, t.creator_id, f.path FROM (
        SELECT track.collection_id, track.creator_id FROM track
        WHERE track.id = open_link.id AND deleted_at IS NULL AND organization_id = share.organization_id
            AND (share.collection_id IS NULL OR share.collection_id = track.collection_id)
            AND (share.track_id IS NULL OR share.track_id = track.id)
            AND (share.creator_id IS NULL OR share.creator_id = track.creator_id) OFFSET 0
    ) t
    CROSS JOIN LATERAL (SELECT FROM collection WHERE collection.id = t.collection_id AND deleted_at IS NULL OFFSET 0) c
    CROSS JOIN LATERAL (
        SELECT track_file.path FROM track_file
        WHERE track_id = open_link.id AND variant_id = share.variant_id AND state = 'done' OFFSET 0
    ) f
$$;

-- Opens pairs of share key and track, and writes a ledger row for each play of an open pair. One call is one transaction,
-- so every returned file has been counted. No row for a pair that is not open.
-- - key_hashes: the keys.
-- - pair_keys and pair_tracks: the pairs, each with the position of its key.
-- - kind_*: the kinds of plays. Plays of one kind differ only in their IDs: position of the pair, both hashes of the
--   listener, host of the referrer, exclusion, ID of the first play.
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
CREATE FUNCTION ledger.record_plays(
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
        CROSS JOIN LATERAL ledger.open_share(h.hash, at) k
        CROSS JOIN LATERAL (
            SELECT organization.domain, signing_secrets[1] AS secret FROM organization
            WHERE id = k.organization_id OFFSET 0
        ) o
    ), opened AS MATERIALIZED (
        SELECT p.pair, (s.key).id AS key_id, (s.key).organization_id, (s.key).variant_id, p.track_id, l.collection_id,
            l.creator_id, l.path, s.domain, s.secret,
            (s.key).last_used_at IS NULL OR (s.key).last_used_at <= at - interval '1 hour' AS is_due
        FROM unnest(pair_keys, pair_tracks) WITH ORDINALITY AS p(key, track_id, pair)
        JOIN share s ON s.place = p.key
        CROSS JOIN LATERAL ledger.open_link(s.key, p.track_id) l
    ), kind AS MATERIALIZED (
        SELECT a.*, o.key_id, o.organization_id, o.variant_id, o.track_id, o.collection_id, o.creator_id
        FROM unnest(kind_pairs, kind_todays, kind_befores, kind_referrer_hosts, kind_exclusions, kind_firsts)
            WITH ORDINALITY AS a(pair, today, before, referrer_host, exclusion, first, place)
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
            created_at, listener, referrer_host, exclusion)
        SELECT e.id, k.organization_id, k.key_id, k.track_id, k.variant_id, k.collection_id, k.creator_id,
            at, k.today, k.referrer_host, CASE
                WHEN k.exclusion IS NOT NULL THEN k.exclusion
                WHEN e.id IN (SELECT first FROM listen) THEN NULL
                ELSE 'repeat'
            END
        FROM unnest(play_ids, play_kinds) AS e(id, place) JOIN kind k ON k.place = e.place
    )
    SELECT o.pair::int, o.path, o.domain, o.secret, CASE WHEN o.is_due THEN o.key_id END FROM opened o;
END
$$;

-- Sums and functions of the version before, which was never released.
DROP TABLE play_count;
DROP TYPE play_count_span;
DROP FUNCTION ledger.drop_before(timestamptz);
DELETE FROM play_counted WHERE summed_to IS NULL;
ALTER TABLE play_counted DROP COLUMN counted_to, ALTER COLUMN summed_to SET NOT NULL;

-- Keys that are limited to a track follow it to another collection.
CREATE INDEX api_key_track_id_idx ON api_key (track_id) WHERE track_id IS NOT NULL;

-- A track that is moved far gets an order between those of its new neighbours, so that no other row changes.
ALTER TABLE track ALTER COLUMN "order" TYPE double precision;

-- Rows that were never deleted. A track keeps the ID of its upload session, which is deleted before it.
ALTER TABLE track DROP CONSTRAINT track_upload_session_id_fkey;
CREATE INDEX upload_session_expires_at_idx ON upload_session (expires_at);
CREATE INDEX track_purged ON track (purged_at) WHERE purged_at IS NOT NULL;
ALTER TABLE resumable_upload DROP CONSTRAINT resumable_upload_track_id_fkey,
    ADD CONSTRAINT resumable_upload_track_id_fkey
        FOREIGN KEY (track_id) REFERENCES track (id) ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE source_pull DROP CONSTRAINT source_pull_track_id_fkey,
    ADD CONSTRAINT source_pull_track_id_fkey
        FOREIGN KEY (track_id) REFERENCES track (id) ON DELETE CASCADE ON UPDATE CASCADE;
-- Old rows of a day are added up.
ALTER TABLE processing_time ADD COLUMN jobs integer NOT NULL DEFAULT 1;

-- Sums of a deleted collection are left out, while a task deletes its tracks.
ALTER TABLE track_sum ADD CONSTRAINT track_sum_collection_id_fkey
    FOREIGN KEY (collection_id) REFERENCES collection (id) ON DELETE CASCADE ON UPDATE CASCADE;
