-- Owner: track
-- After: searched_lexemes

-- A search for words in the transcripts of an organization. Null without a word: nothing matches.
CREATE OR REPLACE FUNCTION transcript_query(organization_id uuid, search text) RETURNS tsquery LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT string_agg(alternatives, ' & ')::tsquery FROM (
        SELECT '(' || string_agg(
            quote_literal(right(organization_id::text, 8) || lexeme) || CASE WHEN is_prefix THEN ':*' ELSE '' END, ' | '
        ) || ')' AS alternatives
        FROM searched_lexemes(search) GROUP BY place
    ) words
$$;
