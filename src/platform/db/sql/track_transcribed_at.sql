-- Owner: track

-- A changed transcription is one that a client has set, unless the same statement says when it was made: speech recognition
-- does, and replaces no transcription without such a time.
CREATE OR REPLACE FUNCTION track_transcribed_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.transcribed_at := NULL;
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER track_transcribed_at BEFORE UPDATE OF transcription ON track FOR EACH ROW
    WHEN (NEW.transcribed_at IS NOT NULL AND NEW.transcribed_at IS NOT DISTINCT FROM OLD.transcribed_at
        AND NEW.transcription IS DISTINCT FROM OLD.transcription)
    EXECUTE FUNCTION track_transcribed_at();
