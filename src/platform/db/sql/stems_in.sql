-- Owner: track
-- After: fold_text, stemmers

-- The stems of words, each after its language and a colon, which no word contains. A word is folded after its stem is found, because
-- endings may have marks, and cut to 64 characters again: one may become 18, and a lexeme above 2 KB is damaged without an error.
-- No rows for a language without a stemmer.
-- @param words in lower case
CREATE OR REPLACE FUNCTION stems_in(words text[], in_language text) RETURNS TABLE (word text, lexeme text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT said, concat(s.language, ':', CASE WHEN octet_length(stem) = length(stem) THEN stem ELSE left(fold_text(stem), 64) END)
    FROM stemmers() s, unnest(words) said, unnest(ts_lexize(s.stemmer, said)) stem
    WHERE s.language = lower(split_part(in_language, '-', 1))
$$;
