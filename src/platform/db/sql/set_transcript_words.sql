-- Owner: track
-- After: transcript_words

-- The words of a transcription of up to 16,384 characters, which take less than 30 ms, are found at once. Longer ones wait for a task,
-- which reads one at a time, so that a tenant with many of them keeps no core busy for each of its requests.
CREATE OR REPLACE FUNCTION set_transcript_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.transcription IS NULL THEN
        DELETE FROM transcript_words WHERE track_id = NEW.id;
    ELSE
        INSERT INTO transcript_words (track_id, words)
        VALUES (NEW.id, CASE WHEN length(NEW.transcription) <= 16384 THEN transcript_words(NEW) END)
        ON CONFLICT (track_id) DO UPDATE SET words = EXCLUDED.words;
    END IF;
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER transcript_words_inserted AFTER INSERT ON track FOR EACH ROW WHEN (NEW.transcription IS NOT NULL)
    EXECUTE FUNCTION set_transcript_words();
CREATE OR REPLACE TRIGGER transcript_words_changed AFTER UPDATE OF transcription, transcription_language, organization_id ON track
    FOR EACH ROW WHEN ((OLD.transcription, OLD.transcription_language, OLD.organization_id) IS DISTINCT FROM
        (NEW.transcription, NEW.transcription_language, NEW.organization_id)) EXECUTE FUNCTION set_transcript_words();
