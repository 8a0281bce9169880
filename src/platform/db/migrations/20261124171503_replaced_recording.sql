ALTER TABLE track
    ADD COLUMN source_name text,
    ADD COLUMN replaces_id uuid,
    ADD COLUMN replaced_at timestamptz(3);
-- Not valid yet: no row has a value, and a check of all rows would keep requests waiting.
ALTER TABLE track ADD CONSTRAINT track_replaces_id_fkey
    FOREIGN KEY (replaces_id) REFERENCES track (id) ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;
ALTER TABLE track ADD CONSTRAINT track_former_is_deleted
    CHECK (replaced_at IS NULL OR (replaces_id IS NOT NULL AND deleted_at IS NOT NULL)) NOT VALID;
-- No row is in these indexes yet, so that each is made by one pass over the table: about a second for a million tracks.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX track_replacement ON track (replaces_id, created_at DESC, id DESC) WHERE replaces_id IS NOT NULL;
-- As the index before.
-- squawk-ignore require-concurrent-index-creation
CREATE UNIQUE INDEX track_replaced_once ON track (replaces_id)
    WHERE replaces_id IS NOT NULL AND replaced_at IS NULL AND deleted_at IS NULL;
