-- Owner: track

-- Stamps each change of a track's state, for all writers by one clock. Times only grow, so that a client can order two
-- states of a track.
CREATE OR REPLACE FUNCTION track_stamp_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.status, NEW.deleted_at) IS DISTINCT FROM (OLD.status, OLD.deleted_at) THEN
        NEW.status_changed_at := greatest(clock_timestamp(), OLD.status_changed_at + interval '1 millisecond');
    END IF;
    IF NEW.status = 'processing' AND OLD.status NOT IN ('processing', 'fallback_processing') THEN
        NEW.progress := 0;
    END IF;
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER track_stamp_change BEFORE UPDATE OF status, deleted_at ON track FOR EACH ROW
    EXECUTE FUNCTION track_stamp_change();
