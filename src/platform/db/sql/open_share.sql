-- Owner: playback

-- The share key of a hash, if it is valid at a time. Like `open_link`, it is inlined into the calling statement; OFFSET 0
-- keeps its lookups out of joins that read whole tables (decision 0012).
CREATE OR REPLACE FUNCTION ledger.open_share(key_hash text, at timestamptz) RETURNS SETOF api_key
LANGUAGE sql STABLE ROWS 1
AS $$
    SELECT k.* FROM (
        SELECT * FROM api_key WHERE hash = key_hash AND kind = 'share' AND revoked_at IS NULL
            AND (opens_at IS NULL OR opens_at <= at) AND (expires_at IS NULL OR expires_at > at) OFFSET 0
    ) k
    CROSS JOIN LATERAL (SELECT FROM variant WHERE id = k.variant_id AND deleted_at IS NULL OFFSET 0) v
$$;
