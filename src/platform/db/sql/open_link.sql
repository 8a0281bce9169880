-- Owner: playback

-- The file that a valid share key plays of a track. No row if the stream link of both is not open. See `open_share`.
CREATE OR REPLACE FUNCTION ledger.open_link(share api_key, id uuid)
RETURNS TABLE (collection_id uuid, creator_id uuid, path text)
LANGUAGE sql STABLE ROWS 1
AS $$
    SELECT t.collection_id, t.creator_id, f.path FROM (
        SELECT track.collection_id, track.creator_id FROM track
        WHERE track.id = open_link.id AND deleted_at IS NULL AND replaces_id IS NULL AND organization_id = share.organization_id
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
