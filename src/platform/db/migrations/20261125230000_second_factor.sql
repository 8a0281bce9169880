ALTER TABLE administrator ADD COLUMN sealed_totp_secret text, ADD COLUMN totp_step integer;
-- Not valid yet: no row has a value, and a check of all rows would keep requests waiting.
ALTER TABLE administrator ADD CONSTRAINT administrator_totp_is_whole
    CHECK ((sealed_totp_secret IS NULL) = (totp_step IS NULL)) NOT VALID;

CREATE TABLE recovery_code (
    administrator_id uuid NOT NULL REFERENCES administrator ON DELETE CASCADE ON UPDATE CASCADE,
    hash text NOT NULL,
    PRIMARY KEY (administrator_id, hash),
    CONSTRAINT recovery_code_hash_form CHECK (hash ~ '^[0-9a-f]{64}$')
);
