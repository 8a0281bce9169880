ALTER TABLE api_key ADD COLUMN sealed_key text;
-- Not valid yet: no row has a value, and a check of all rows would keep requests waiting.
ALTER TABLE api_key ADD CONSTRAINT api_key_sealed_is_share CHECK (kind = 'share' OR sealed_key IS NULL) NOT VALID;
