-- Owner: track

-- The words of transcriptions and translations for searches: the reader evaluates the conditions of a view once for each statement.
CREATE OR REPLACE VIEW transcript_search AS
SELECT track_id, words FROM transcript_words UNION ALL SELECT track_id, words FROM translation;
