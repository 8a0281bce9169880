-- Edges keep in memory what delivery addresses resolve to, and ask at short intervals what has changed (decision 0048).

-- Also a file that remains done: an edge keeps everything that its answers contain.
CREATE OR REPLACE TRIGGER link_changed
    AFTER UPDATE OF state, path, track_id, variant_id, storage_key, size, sha256, content_type, file_name, completed_at
    ON track_file FOR EACH ROW
    WHEN (OLD.state = 'done' AND
        (OLD.state, OLD.path, OLD.track_id, OLD.variant_id, OLD.storage_key, OLD.size, OLD.sha256, OLD.content_type,
            OLD.file_name, OLD.completed_at)
        IS DISTINCT FROM
        (NEW.state, NEW.path, NEW.track_id, NEW.variant_id, NEW.storage_key, NEW.size, NEW.sha256, NEW.content_type,
            NEW.file_name, NEW.completed_at))
    EXECUTE FUNCTION ledger.record_file_change();

-- Returns the subjects of the changes that were not visible in the snapshot `since`, and the snapshot of the calling
-- statement as the next `since`. The subjects are null without a change, and empty above 100, since a statement may repeat
-- them in each row. Without `since` there are no changes.
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
            SELECT subject FROM ledger.link_change
            WHERE transaction_id >= pg_snapshot_xmin(since)
                AND transaction_id < pg_snapshot_xmax(pg_current_snapshot())
                AND NOT pg_visible_in_snapshot(transaction_id, since)
            LIMIT 101
        ) c
    );
END
$$;
