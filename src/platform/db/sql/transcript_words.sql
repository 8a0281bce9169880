-- Owner: track
-- After: transcript_lexemes

-- The words of the transcription of a track.
CREATE OR REPLACE FUNCTION transcript_words(t track) RETURNS tsvector LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT transcript_lexemes(t.organization_id, t.transcription, t.transcription_language)
$$;
