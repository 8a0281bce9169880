-- Owner: track
-- After: searched_lexemes, stems_in

-- Those words of a text that a search finds, each with the places of the search that it is found for.
-- @param words in lower case, and `folded` as `fold_text` writes each of them
CREATE OR REPLACE FUNCTION words_found(words text[], folded text[], in_language text, search text)
RETURNS TABLE (word text, places text[]) LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH searched AS MATERIALIZED (
        SELECT * FROM searched_lexemes(search)
        WHERE lexeme NOT LIKE '%:%' OR split_part(lexeme, ':', 1) = lower(split_part(in_language, '-', 1))
    ), lexemes AS MATERIALIZED (
        SELECT * FROM unnest(words, folded) w (word, lexeme)
        UNION ALL
        SELECT * FROM stems_in(words, in_language)
    ), found AS (
        SELECT l.word, s.place FROM lexemes l JOIN searched s ON l.lexeme = s.lexeme
        UNION
        SELECT l.word, s.place FROM lexemes l JOIN searched s ON s.is_prefix AND starts_with(l.lexeme, s.lexeme)
    )
    SELECT f.word, array_agg(f.place) FROM found f GROUP BY f.word
$$;
