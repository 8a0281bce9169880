-- Owner: track
-- After: lexemes_in, transcript_text

-- The lexemes of a transcript, each after the end of its organization's ID, so that those of other organizations are not in
-- the range of a prefix. At most 900,000 bytes of them: a tsvector has one MiB.
CREATE OR REPLACE FUNCTION transcript_lexemes(organization_id uuid, transcript text, in_language text) RETURNS tsvector
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(array_to_tsvector(array_agg(lexeme)), '') FROM (
        SELECT right(organization_id::text, 8) || lexeme AS lexeme,
            sum(octet_length(lexeme) + 12) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
        FROM lexemes_in(transcript_text(transcript), in_language) lexeme
    ) cut WHERE bytes < 900000
$$;
