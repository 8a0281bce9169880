-- Keys that lists of tracks are ordered by (decision 0076). Nothing was released: rows of before have none until they change.
ALTER TABLE track
    ADD COLUMN title_key text NOT NULL DEFAULT '',
    ADD COLUMN artist_key text NOT NULL DEFAULT '';
-- All rows are in it, by one pass over the table: about a second for a million tracks.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX track_organization_id_title_key_id_idx ON track (organization_id, title_key, id);
-- As the index before.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX track_organization_id_artist_key_id_idx ON track (organization_id, artist_key, id);
-- As the index before.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX track_organization_id_duration_seconds_id_idx ON track (organization_id, duration_seconds, id);
