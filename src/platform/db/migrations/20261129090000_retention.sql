-- The hundredths of a track that a listener has heard in 24 hours, as players report them: a bit for each (decision 0088).
CREATE TABLE listening (
    track_id uuid NOT NULL,
    listener uuid NOT NULL,
    hundredths bit(100) NOT NULL,
    heard_at timestamptz(3) NOT NULL,
    PRIMARY KEY (track_id, listener)
);
CREATE INDEX listening_heard_at_idx ON listening USING brin (heard_at);
-- Listenings that began on a day, UTC, and how many of them have each hundredth of the track.
CREATE TABLE retention_day (
    track_id uuid NOT NULL REFERENCES track ON DELETE CASCADE ON UPDATE CASCADE,
    day date NOT NULL,
    listenings integer NOT NULL,
    hundredths integer[] NOT NULL,
    PRIMARY KEY (track_id, day),
    CONSTRAINT retention_day_hundredths
        CHECK (cardinality(hundredths) = 100 AND 0 <= ALL (hundredths) AND listenings >= ALL (hundredths))
);
