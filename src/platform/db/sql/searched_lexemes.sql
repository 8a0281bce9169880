-- Owner: track
-- After: fold_text, stems_in, stemmers, words_in

-- What a search for words in transcripts compares. A text matches when it has one of the lexemes of each `place`. From three
-- letters on, a word is also found by its beginning. The language of the search is not known, so it has the stems of all.
CREATE OR REPLACE FUNCTION searched_lexemes(search text) RETURNS TABLE (place text, lexeme text, is_prefix boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH said AS (
        SELECT word, at, fold_text(word) AS folded
        FROM words_in(lower(normalize(search, NFC) COLLATE "und-x-icu")) WITH ORDINALITY w (word, at)
    )
    -- Folding puts spaces between the characters of scripts that separate no words.
    SELECT concat(at, '.', part_at), part, length(part) > 2
    FROM said, words_in(folded) WITH ORDINALITY p (part, part_at)
    UNION
    SELECT concat(at, '.', 1), lexeme, false FROM said, stemmers() s, stems_in(ARRAY[word], s.language)
    WHERE folded NOT LIKE '% %'
$$;
