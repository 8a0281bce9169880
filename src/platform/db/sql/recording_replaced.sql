-- Owner: track

-- Marks a track whose recording is replaced: its files may be stale.
CREATE OR REPLACE FUNCTION recording_replaced() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.is_recording_replaced := true;
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER recording_replaced BEFORE UPDATE OF source_sha256 ON track FOR EACH ROW
    WHEN (OLD.source_sha256 IS NOT NULL AND OLD.source_sha256 IS DISTINCT FROM NEW.source_sha256)
    EXECUTE FUNCTION recording_replaced();
