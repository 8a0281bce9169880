-- Owner: track

-- The words of transcripts for searches: the reader evaluates the conditions of a view once for each statement.
CREATE OR REPLACE VIEW transcript_search AS SELECT track_id, words FROM transcript_words;
