-- Transcripts that exist wait for the task. A migration of its own: the reference of the table locks tracks against writes, which must
-- not last as long as it takes to read them all.
INSERT INTO transcript_words (track_id) SELECT id FROM track WHERE transcription IS NOT NULL;
