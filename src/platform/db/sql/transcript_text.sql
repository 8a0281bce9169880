-- Owner: track

-- What is said in a transcription: a text as it is, WebVTT and SubRip without times, numbers, comments, styles and markup.
CREATE OR REPLACE FUNCTION transcript_text(transcription text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN transcription NOT LIKE '%-->%' THEN transcription ELSE
        regexp_replace(regexp_replace(replace(transcription, E'\r', ''),
            '(^|\n)(WEBVTT|NOTE|STYLE|REGION)[^\n]*(\n[^\n]+)*', E'\n', 'g'),
            '^[^\n]*-->[^\n]*$|^\d+$|<[^<>]*>|&(amp|lt|gt|nbsp|lrm|rlm);', ' ', 'gn') END
$$;
