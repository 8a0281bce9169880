-- Owner: playback

-- Player keys and play sessions name variants by their index, because one index may name variants of several tracks. They
-- follow a variant of the organization to its new index.
CREATE OR REPLACE FUNCTION variant_renamed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE api_key SET variants = renamed_in(variants, OLD.index, NEW.index)
    WHERE organization_id = NEW.organization_id AND cardinality(variants) > 0
        AND renamed_in(variants, OLD.index, NEW.index) <> variants;
    UPDATE play_session SET variants = renamed_in(variants, OLD.index, NEW.index)
    WHERE organization_id = NEW.organization_id AND expires_at > now() AND cardinality(variants) > 0
        AND renamed_in(variants, OLD.index, NEW.index) <> variants;
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER variant_renamed AFTER UPDATE OF index ON variant FOR EACH ROW
    WHEN (OLD.index <> NEW.index AND NEW.track_id IS NULL) EXECUTE FUNCTION variant_renamed();
