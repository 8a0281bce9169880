ALTER TABLE api_key ADD COLUMN is_private_feed boolean NOT NULL DEFAULT false;
ALTER TABLE api_key ADD CONSTRAINT api_key_private_feed
    CHECK (NOT is_private_feed OR (kind = 'share' AND collection_id IS NOT NULL AND track_id IS NULL)) NOT VALID;
