CREATE TABLE invitation (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE ON UPDATE CASCADE,
    created_by_id uuid NOT NULL REFERENCES administrator ON DELETE CASCADE ON UPDATE CASCADE,
    email text NOT NULL,
    role administrator_role NOT NULL,
    hash text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT invitation_email_is_lower CHECK (email = lower(email)),
    CONSTRAINT invitation_ends_later CHECK (expires_at > created_at),
    CONSTRAINT invitation_hash_form CHECK (hash ~ '^[0-9a-f]{64}$')
);
CREATE UNIQUE INDEX invitation_hash_key ON invitation (hash);
CREATE UNIQUE INDEX invitation_organization_id_email_key ON invitation (organization_id, email);
CREATE INDEX invitation_created_by_id_idx ON invitation (created_by_id);
CREATE INDEX invitation_expires_at_idx ON invitation (expires_at);
