-- Owner: track
-- After: lexemes_in, transcript_text

-- The lexemes of a transcription, each after the end of its organization's ID, so that those of other organizations are not in
-- the range of a prefix. At most 900,000 bytes of them: a tsvector has one MiB.
CREATE OR REPLACE FUNCTION transcript_words(t track) RETURNS tsvector LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(array_to_tsvector(array_agg(lexeme)), '') FROM (
        SELECT right(t.organization_id::text, 8) || lexeme AS lexeme,
            sum(octet_length(lexeme) + 12) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
        FROM lexemes_in(transcript_text(t.transcription), t.transcription_language) lexeme
    ) cut WHERE bytes < 900000
$$;
