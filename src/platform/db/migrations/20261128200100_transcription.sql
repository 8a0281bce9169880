-- Order and progress of a job that transcribes a track, by its ID (decision 0087).
CREATE TABLE transcription (
    id uuid PRIMARY KEY REFERENCES job ON DELETE CASCADE ON UPDATE CASCADE,
    language text,
    prompt text NOT NULL DEFAULT '',
    recording_seconds double precision NOT NULL CHECK (recording_seconds >= 0),
    source_key text,
    done_seconds double precision NOT NULL DEFAULT 0,
    next_start_seconds double precision NOT NULL DEFAULT 0,
    sent_seconds double precision NOT NULL DEFAULT 0 CHECK (sent_seconds >= 0),
    cues jsonb NOT NULL DEFAULT '[]',
    CONSTRAINT transcription_progress CHECK (next_start_seconds BETWEEN 0 AND done_seconds)
);
-- Sound that an organization has transcribed in a calendar month, UTC.
CREATE TABLE transcription_month (
    organization_id uuid NOT NULL,
    month date NOT NULL,
    seconds double precision NOT NULL,
    PRIMARY KEY (organization_id, month)
);
ALTER TABLE track ADD COLUMN transcribed_at timestamptz(3);
ALTER TABLE organization ADD COLUMN transcribes_uploads boolean NOT NULL DEFAULT false;
ALTER TABLE processing_time ADD COLUMN transcribed_seconds double precision NOT NULL DEFAULT 0;
