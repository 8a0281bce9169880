ALTER TABLE api_key ADD COLUMN sites text[] NOT NULL DEFAULT ARRAY[]::text[];
ALTER TABLE api_key ADD CONSTRAINT api_key_sites CHECK (kind = 'share' OR sites = ARRAY[]::text[]) NOT VALID;
