CREATE TABLE sign_in_link (
    id uuid PRIMARY KEY,
    administrator_id uuid NOT NULL REFERENCES administrator ON DELETE CASCADE ON UPDATE CASCADE,
    hash text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT sign_in_link_ends_later CHECK (expires_at > created_at),
    CONSTRAINT sign_in_link_hash_form CHECK (hash ~ '^[0-9a-f]{64}$')
);
CREATE UNIQUE INDEX sign_in_link_hash_key ON sign_in_link (hash);
CREATE INDEX sign_in_link_administrator_id_idx ON sign_in_link (administrator_id);
CREATE INDEX sign_in_link_expires_at_idx ON sign_in_link (expires_at);
