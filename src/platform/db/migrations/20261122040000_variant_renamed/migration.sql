-- Player keys and play sessions name variants by their index, because an index may stand for variants of several tracks.
-- They follow an organization-wide variant to its new index.
CREATE FUNCTION "renamed_in"("names" text[], "old_name" text, "new_name" text) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg(CASE WHEN lower(name COLLATE "C") = lower(old_name COLLATE "C") THEN new_name ELSE name END ORDER BY place)
  FROM unnest(names) WITH ORDINALITY AS listed(name, place)
$$;

CREATE FUNCTION "variant_renamed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE api_key SET variants = renamed_in(variants, OLD.index, NEW.index)
  WHERE organization_id = NEW.organization_id AND cardinality(variants) > 0
    AND renamed_in(variants, OLD.index, NEW.index) <> variants;
  UPDATE play_session SET variants = renamed_in(variants, OLD.index, NEW.index)
  WHERE organization_id = NEW.organization_id AND expires_at > now() AND cardinality(variants) > 0
    AND renamed_in(variants, OLD.index, NEW.index) <> variants;
  RETURN NULL;
END $$;

CREATE TRIGGER "variant_renamed" AFTER UPDATE OF "index" ON "variant" FOR EACH ROW
  WHEN (OLD."index" <> NEW."index" AND NEW."track_id" IS NULL) EXECUTE FUNCTION "variant_renamed"();
