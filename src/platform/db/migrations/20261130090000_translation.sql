-- The transcription of a track in other languages, and the words that searches find it by: null while they wait for the task that
-- reads them (decision 0089).
CREATE TYPE transcript_form AS ENUM ('vtt', 'srt', 'txt');
CREATE TABLE translation (
    id uuid PRIMARY KEY,
    track_id uuid NOT NULL REFERENCES track ON DELETE CASCADE ON UPDATE CASCADE,
    language text NOT NULL,
    text text NOT NULL,
    form transcript_form NOT NULL,
    words tsvector,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at timestamptz(3) NOT NULL
);
CREATE UNIQUE INDEX translation_track_id_language_key ON translation (track_id, language);
CREATE INDEX translation_words_idx ON translation USING gin (words) WITH (gin_pending_list_limit = 256);
CREATE INDEX translation_unread ON translation (track_id) WHERE words IS NULL;
