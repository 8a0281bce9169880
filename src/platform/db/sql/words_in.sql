-- Owner: track

-- The words of a text in their order, of at most 64 characters: what is between spaces, punctuation and symbols. By the rules
-- of ICU, because a database with the locale C does not tell letters from punctuation outside of ASCII.
CREATE OR REPLACE FUNCTION words_in(value text) RETURNS SETOF text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT left(word, 64)
    FROM string_to_table(regexp_replace(value COLLATE "und-x-icu",
        '[[:space:][:punct:][:cntrl:]$+<=>^`|~\u00ad\u2000-\u2bff\ufe0f\ufeff\U0001f000-\U0001faff]+', ' ', 'g'), ' ') word
    WHERE word <> ''
$$;
