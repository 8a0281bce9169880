-- Owner: track
-- After: fold_text, stems_in, words_in

-- What a search finds a text by: its words without case and marks, and their stems.
CREATE OR REPLACE FUNCTION lexemes_in(value text, in_language text) RETURNS SETOF text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT words_in(fold_text(value))
    UNION
    SELECT lexeme FROM stems_in(ARRAY(
        SELECT DISTINCT words_in(lower(normalize(value, NFC) COLLATE "und-x-icu"))
    ), in_language)
$$;
