-- Owner: usage

-- Records the processing time of a finished job with the owners of its files, which outlive the job. Jobs that failed or
-- were cancelled have produced nothing. The time of another recording is that of its track.
CREATE OR REPLACE FUNCTION job_processing_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO processing_time (job_id, organization_id, creator_id, collection_id, track_id, finished_at, seconds)
    SELECT NEW.id, NEW.organization_id, coalesce(t.creator_id, c.creator_id), coalesce(t.collection_id, c.id), coalesce(t.replaces_id, NEW.track_id),
        NEW.finished_at, greatest(extract(epoch FROM NEW.finished_at - NEW.started_at), 0)
    FROM (SELECT 1) one LEFT JOIN track t ON t.id = NEW.track_id LEFT JOIN collection c ON c.id = NEW.collection_id
    ON CONFLICT (job_id) DO NOTHING;
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER job_processing_time AFTER UPDATE OF state ON job FOR EACH ROW
    WHEN (NEW.state = 'done' AND NEW.started_at IS NOT NULL AND NEW.finished_at IS NOT NULL)
    EXECUTE FUNCTION job_processing_time();
