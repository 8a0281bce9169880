ALTER TABLE api_key ADD COLUMN opens_at timestamptz(3);
ALTER TABLE api_key ADD CONSTRAINT api_key_opens_at
    CHECK (opens_at IS NULL OR (kind = 'share' AND (expires_at IS NULL OR opens_at < expires_at))) NOT VALID;
