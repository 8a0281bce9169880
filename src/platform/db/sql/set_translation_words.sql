-- Owner: track
-- After: translation_words

-- As of transcriptions: the words of a long translation wait for the task.
CREATE OR REPLACE FUNCTION set_translation_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.words := CASE WHEN length(NEW.text) <= 16384 THEN translation_words(NEW) END;
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER translation_words BEFORE INSERT OR UPDATE OF text, language ON translation FOR EACH ROW
    EXECUTE FUNCTION set_translation_words();
