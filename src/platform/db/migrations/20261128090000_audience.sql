ALTER TABLE play_event ADD COLUMN app text, ADD COLUMN device text, ADD COLUMN country text;

CREATE TYPE audience_kind AS ENUM ('app', 'device', 'country', 'site');
CREATE TABLE audience_day (
    organization_id uuid NOT NULL,
    kind audience_kind NOT NULL,
    day date NOT NULL,
    collection_id uuid NOT NULL,
    creator_id uuid,
    value text NOT NULL,
    listens bigint NOT NULL,
    CONSTRAINT audience_day_listens CHECK (listens > 0)
);
CREATE UNIQUE INDEX audience_day_organization_id_kind_day_collection_id_creator_key
    ON audience_day (organization_id, kind, day, collection_id, creator_id, value) NULLS NOT DISTINCT;

ALTER TABLE play_counted ADD COLUMN audience_to date;
