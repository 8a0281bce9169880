-- Owner: usage

-- Records the processing time of a finished job with the owners of its files, which outlive the job. Jobs that failed or
-- were cancelled have produced nothing, but a transcription has used its provider until then. Its time is that of the
-- provider, and does not count. The time of another recording is that of its track.
CREATE OR REPLACE FUNCTION job_processing_time() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_done boolean := NEW.state = 'done';
    is_transcription boolean := NEW.kind = 'transcribe_track';
    sent double precision;
BEGIN
    IF is_transcription THEN
        SELECT sent_seconds INTO sent FROM transcription WHERE id = NEW.id;
    END IF;
    IF NOT is_done AND coalesce(sent, 0) = 0 THEN
        RETURN NULL;
    END IF;
    INSERT INTO processing_time
        (job_id, organization_id, creator_id, collection_id, track_id, finished_at, seconds, jobs, transcribed_seconds)
    SELECT NEW.id, NEW.organization_id, coalesce(t.creator_id, c.creator_id), coalesce(t.collection_id, c.id), coalesce(t.replaces_id, NEW.track_id),
        NEW.finished_at,
        CASE WHEN is_transcription THEN 0 ELSE greatest(extract(epoch FROM NEW.finished_at - NEW.started_at), 0) END,
        is_done::int, coalesce(sent, 0)
    FROM (SELECT 1) one LEFT JOIN track t ON t.id = NEW.track_id LEFT JOIN collection c ON c.id = NEW.collection_id
    ON CONFLICT (job_id) DO NOTHING;
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER job_processing_time AFTER UPDATE OF state ON job FOR EACH ROW
    WHEN (NEW.state IN ('done', 'failed', 'cancelled') AND NEW.started_at IS NOT NULL AND NEW.finished_at IS NOT NULL)
    EXECUTE FUNCTION job_processing_time();
