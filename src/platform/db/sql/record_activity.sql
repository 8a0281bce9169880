-- Owner: activity

-- Records a change that the viewer of a request made, in its transaction (decision 0079). `tonearm.actor` is the viewer,
-- which the connection sets with BEGIN; it is unset for work of the service itself, which is not recorded.
-- Arguments: the type of the record; columns whose values are recorded, unless they are longer than 500 characters; other
-- columns, whose values are secret: only that they have changed is recorded.
CREATE OR REPLACE FUNCTION record_activity() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    actor jsonb := current_setting('tonearm.actor')::jsonb;
    old_row jsonb := to_jsonb(OLD);
    new_row jsonb := to_jsonb(NEW);
    is_translation boolean := TG_TABLE_NAME = 'translation';
    subject jsonb := CASE WHEN is_translation
        THEN (SELECT to_jsonb(t) FROM track t WHERE t.id = (coalesce(new_row, old_row) ->> 'track_id')::uuid)
        ELSE coalesce(new_row, old_row) END;
    subject_id uuid := subject ->> 'id';
    done activity_action := 'updated';
    changed jsonb := '{}';
    name text := coalesce(
        nullif(btrim(subject ->> 'player_title'), ''), nullif(btrim(subject #>> '{info,tags,title}'), ''),
        subject ->> 'file_name_original', subject ->> 'file_name', nullif(btrim(subject ->> 'title'), ''),
        subject ->> 'email', subject ->> 'name', subject ->> 'index', subject ->> 'url', subject ->> 'organization_index', '');
BEGIN
    IF is_translation THEN
        changed := jsonb_build_object('translation', CASE
            WHEN TG_OP = 'UPDATE' THEN 'null' ELSE jsonb_build_array(old_row -> 'language', new_row -> 'language')
        END);
    ELSIF TG_OP = 'INSERT' AND subject ->> 'replaces_id' IS NOT NULL THEN
        -- A new recording of a track is a row of its own (decision 0070).
        subject_id := subject ->> 'replaces_id';
        changed := '{"recording": null}';
    ELSIF TG_OP = 'INSERT' THEN
        done := 'created';
    ELSIF TG_OP = 'DELETE' OR (old_row ->> 'deleted_at' IS NULL AND new_row ->> 'deleted_at' IS NOT NULL) THEN
        done := 'deleted';
    ELSIF old_row ->> 'deleted_at' IS NOT NULL AND new_row ->> 'deleted_at' IS NULL THEN
        done := 'restored';
    ELSIF old_row ->> 'revoked_at' IS NULL AND new_row ->> 'revoked_at' IS NOT NULL THEN
        done := 'revoked';
    ELSE
        SELECT coalesce(jsonb_object_agg(field, CASE
            WHEN field = ANY (TG_ARGV[2]::text[])
                OR greatest(length(old_row ->> field), length(new_row ->> field)) > 500 THEN 'null'::jsonb
            ELSE jsonb_build_array(old_row -> field, new_row -> field)
        END), '{}') INTO changed
        FROM unnest(TG_ARGV[1]::text[] || TG_ARGV[2]::text[]) field
        WHERE old_row -> field IS DISTINCT FROM new_row -> field;
        IF changed = '{}' THEN
            RETURN NULL;
        END IF;
    END IF;
    INSERT INTO activity (
        organization_id, action, record, record_id, record_name, changes, actor_kind, actor_id, actor_name, address, request_id
    )
    SELECT (actor ->> 'organizationId')::uuid, done, TG_ARGV[0]::activity_record, subject_id, left(name, 500), changed,
        (actor ->> 'kind')::actor_kind, (actor ->> 'id')::uuid,
        -- Without a row, administrators have just deleted themselves.
        coalesce((SELECT email FROM administrator WHERE id = (actor ->> 'id')::uuid),
            (SELECT title FROM api_key WHERE id = (actor ->> 'id')::uuid), name),
        actor ->> 'address', actor ->> 'requestId';
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER activity_organization AFTER UPDATE ON organization FOR EACH ROW
    WHEN (coalesce(current_setting('tonearm.actor', true), '') <> '')
    EXECUTE FUNCTION record_activity(
        'organization',
        '{name, domain, is_theme_overridable, is_cover_overridable, player_color, player_subtitle, is_indexable,
            transcribes_uploads}',
        '{cover_source_key, signing_secrets}');
CREATE OR REPLACE TRIGGER activity_creator AFTER INSERT OR UPDATE OR DELETE ON creator FOR EACH ROW
    WHEN (coalesce(current_setting('tonearm.actor', true), '') <> '')
    EXECUTE FUNCTION record_activity('creator', '{organization_index, metadata}', '{}');
CREATE OR REPLACE TRIGGER activity_collection AFTER INSERT OR UPDATE OR DELETE ON collection FOR EACH ROW
    WHEN (coalesce(current_setting('tonearm.actor', true), '') <> '')
    EXECUTE FUNCTION record_activity(
        'collection',
        '{creator_id, title, organization_index, metadata, is_cover_overridable, is_theme_overridable, player_color,
            player_subtitle, description, language, podcast_category, podcast_type, is_explicit, author, owner_name,
            owner_email}',
        '{cover_source_key}');
CREATE OR REPLACE TRIGGER activity_track AFTER INSERT OR DELETE ON track FOR EACH ROW
    WHEN (coalesce(current_setting('tonearm.actor', true), '') <> '') EXECUTE FUNCTION record_activity('track');
-- Of a former recording, only the creation is of interest.
CREATE OR REPLACE TRIGGER activity_track_changed AFTER UPDATE ON track FOR EACH ROW
    WHEN (NEW.replaces_id IS NULL AND coalesce(current_setting('tonearm.actor', true), '') <> '')
    EXECUTE FUNCTION record_activity(
        'track',
        '{collection_id, creator_id, organization_index, metadata, player_title, player_subtitle, player_color, album,
            track_number, disc_number, isrc, year, transcription, transcription_language, description, published_at, season,
            episode, episode_type, is_explicit, chapters}',
        '{cover_source_key}');
-- A translation is a part of its track: the change of one is recorded with its language. Not its words, which a task writes.
CREATE OR REPLACE TRIGGER activity_translation AFTER INSERT OR UPDATE OF text OR DELETE ON translation FOR EACH ROW
    WHEN (coalesce(current_setting('tonearm.actor', true), '') <> '') EXECUTE FUNCTION record_activity('track');
CREATE OR REPLACE TRIGGER activity_variant AFTER INSERT OR UPDATE OR DELETE ON variant FOR EACH ROW
    WHEN (coalesce(current_setting('tonearm.actor', true), '') <> '')
    EXECUTE FUNCTION record_activity('variant', '{index, props}', '{}');
CREATE OR REPLACE TRIGGER activity_key AFTER INSERT OR UPDATE OR DELETE ON api_key FOR EACH ROW
    WHEN (coalesce(current_setting('tonearm.actor', true), '') <> '')
    EXECUTE FUNCTION record_activity(
        'key',
        '{title, collection_id, opens_at, expires_at, max_plays, max_daily_listeners, max_concurrent_listeners,
            is_downloadable, sites, countries}',
        '{password_hash}');
CREATE OR REPLACE TRIGGER activity_administrator AFTER INSERT OR UPDATE OR DELETE ON administrator FOR EACH ROW
    WHEN (coalesce(current_setting('tonearm.actor', true), '') <> '')
    EXECUTE FUNCTION record_activity(
        'administrator', '{email, name, role, disabled_at}', '{password_hash, sealed_totp_secret}');
CREATE OR REPLACE TRIGGER activity_invitation AFTER INSERT OR DELETE ON invitation FOR EACH ROW
    WHEN (coalesce(current_setting('tonearm.actor', true), '') <> '') EXECUTE FUNCTION record_activity('invitation');
CREATE OR REPLACE TRIGGER activity_passkey AFTER INSERT OR UPDATE OR DELETE ON passkey FOR EACH ROW
    WHEN (coalesce(current_setting('tonearm.actor', true), '') <> '')
    EXECUTE FUNCTION record_activity('passkey', '{title}', '{}');
CREATE OR REPLACE TRIGGER activity_webhook_endpoint AFTER INSERT OR UPDATE OR DELETE ON webhook_endpoint FOR EACH ROW
    WHEN (coalesce(current_setting('tonearm.actor', true), '') <> '')
    EXECUTE FUNCTION record_activity('webhook_endpoint', '{url, event_types, disabled_at}', '{secrets}');
