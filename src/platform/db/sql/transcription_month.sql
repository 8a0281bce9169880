-- Owner: processing

-- Adds what an ended job has sent to its provider to the sum of the month, which limits the organization. Jobs end once.
CREATE OR REPLACE FUNCTION transcription_month() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO transcription_month AS sum (organization_id, month, seconds)
    SELECT NEW.organization_id, date_trunc('month', NEW.finished_at AT TIME ZONE 'UTC')::date, sent_seconds
    FROM transcription WHERE id = NEW.id AND sent_seconds > 0
    ON CONFLICT (organization_id, month) DO UPDATE SET seconds = sum.seconds + excluded.seconds;
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER transcription_month AFTER UPDATE OF state ON job FOR EACH ROW
    WHEN (NEW.state IN ('done', 'failed', 'cancelled') AND OLD.state IN ('queued', 'running') AND NEW.finished_at IS NOT NULL)
    EXECUTE FUNCTION transcription_month();
