CREATE TABLE passkey (
    id uuid PRIMARY KEY,
    administrator_id uuid NOT NULL REFERENCES administrator ON DELETE CASCADE ON UPDATE CASCADE,
    credential_id text NOT NULL,
    public_key text NOT NULL,
    title text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    last_used_at timestamptz(3),
    challenged_at timestamptz(3) NOT NULL
);
CREATE UNIQUE INDEX passkey_credential_id_key ON passkey (credential_id);
CREATE INDEX passkey_administrator_id_idx ON passkey (administrator_id);
