-- Owner: playback

-- Whether `admit_plays` decides about the plays of a share key.
CREATE OR REPLACE FUNCTION ledger.has_limits(share api_key) RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$
    SELECT num_nonnulls(share.max_plays, share.max_daily_listeners, share.max_concurrent_listeners, share.password_hash) > 0
        OR share.countries <> '{}'
$$;
