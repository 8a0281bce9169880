ALTER TABLE api_key ADD COLUMN max_plays int;
ALTER TABLE api_key ADD COLUMN max_daily_listeners int;
ALTER TABLE api_key ADD COLUMN max_concurrent_listeners int;
ALTER TABLE api_key ADD COLUMN countries text[] NOT NULL DEFAULT ARRAY[]::text[];
ALTER TABLE api_key ADD COLUMN password_hash text;
ALTER TABLE api_key ADD CONSTRAINT api_key_share_limits CHECK (
    (kind = 'share' OR (num_nonnulls(max_plays, max_daily_listeners, max_concurrent_listeners, password_hash) = 0
        AND countries = ARRAY[]::text[]))
    AND max_plays > 0 AND max_daily_listeners BETWEEN 1 AND 1000 AND max_concurrent_listeners BETWEEN 1 AND 1000
) NOT VALID;
ALTER TABLE api_key ADD CONSTRAINT api_key_is_downloadable
    CHECK (kind IN ('player', 'share') OR NOT is_downloadable) NOT VALID;
ALTER TABLE api_key DROP CONSTRAINT api_key_player_is_downloadable;

CREATE TABLE share_count (
    id uuid NOT NULL REFERENCES api_key ON DELETE CASCADE ON UPDATE CASCADE,
    plays int NOT NULL DEFAULT 0,
    CONSTRAINT share_count_pkey PRIMARY KEY (id),
    CONSTRAINT share_count_plays CHECK (plays >= 0)
);

CREATE TABLE share_listener (
    key_id uuid NOT NULL REFERENCES api_key ON DELETE CASCADE ON UPDATE CASCADE,
    listener uuid NOT NULL,
    heard_at timestamptz(3) NOT NULL,
    ends_at timestamptz(3) NOT NULL,
    CONSTRAINT share_listener_pkey PRIMARY KEY (key_id, listener)
);
CREATE INDEX share_listener_key_id_ends_at_idx ON share_listener (key_id, ends_at);
CREATE INDEX share_listener_heard_at_idx ON share_listener USING brin (heard_at);

CREATE TABLE share_listen (
    key_id uuid NOT NULL REFERENCES api_key ON DELETE CASCADE ON UPDATE CASCADE,
    listener uuid NOT NULL,
    track_id uuid NOT NULL,
    heard_at timestamptz(3) NOT NULL,
    CONSTRAINT share_listen_pkey PRIMARY KEY (key_id, listener, track_id)
);
CREATE INDEX share_listen_heard_at_idx ON share_listen USING brin (heard_at);
