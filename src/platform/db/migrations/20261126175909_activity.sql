CREATE TYPE activity_action AS ENUM ('created', 'updated', 'deleted', 'restored', 'revoked', 'signed_in');
CREATE TYPE activity_record AS ENUM (
    'organization', 'creator', 'collection', 'track', 'variant', 'key', 'administrator', 'invitation', 'passkey',
    'webhook_endpoint'
);
CREATE TYPE actor_kind AS ENUM ('administrator', 'key');

CREATE TABLE activity (
    id uuid DEFAULT gen_random_uuid() PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organization (id) ON UPDATE CASCADE ON DELETE RESTRICT,
    action activity_action NOT NULL,
    record activity_record NOT NULL,
    record_id uuid NOT NULL,
    record_name text NOT NULL,
    changes jsonb NOT NULL DEFAULT '{}',
    actor_kind actor_kind NOT NULL,
    actor_id uuid NOT NULL,
    actor_name text NOT NULL,
    address text,
    request_id text,
    created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX activity_organization_id_created_at_id_idx ON activity (organization_id, created_at DESC, id DESC);
CREATE INDEX activity_organization_id_record_id_created_at_id_idx
    ON activity (organization_id, record_id, created_at DESC, id DESC);
CREATE INDEX activity_created_at_idx ON activity (created_at);
