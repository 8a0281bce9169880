-- Owner: track
-- After: transcript_lexemes

-- The words of a translation.
CREATE OR REPLACE FUNCTION translation_words(t translation) RETURNS tsvector LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT transcript_lexemes(organization_id, t.text, t.language) FROM track WHERE id = t.track_id
$$;
