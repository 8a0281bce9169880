-- Words of transcripts, for searches (decision 0086). Null while they wait for the task that reads them.
CREATE TABLE transcript_words (
    track_id uuid PRIMARY KEY REFERENCES track ON DELETE CASCADE ON UPDATE CASCADE,
    words tsvector
);
CREATE INDEX transcript_words_words_idx ON transcript_words USING gin (words) WITH (gin_pending_list_limit = 256);
CREATE INDEX transcript_words_unread ON transcript_words (track_id) WHERE words IS NULL;
