-- Owner: delivery

-- Returns the subjects of the changes that were not visible in the snapshot `since`, and the snapshot of the calling
-- statement as the next `since`. The subjects are null without a change, and empty above 100, since a statement may repeat
-- them in each row. Without `since` there are no changes. Rows of another cluster, from a restored backup, have numbers of
-- transactions that are still to come: they are ignored.
CREATE OR REPLACE FUNCTION ledger.changes_since(since pg_snapshot) RETURNS TABLE (snapshot text, changes uuid[])
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
