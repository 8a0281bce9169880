-- Owner: delivery

-- Records that deliveries of an organization, variant, collection or track end (decision 0015).
CREATE OR REPLACE FUNCTION ledger.record_delivery_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ledger.delivery_change (subject) VALUES (OLD.id);
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER delivery_changed AFTER UPDATE OF signing_secrets ON organization FOR EACH ROW
    WHEN (OLD.signing_secrets IS DISTINCT FROM NEW.signing_secrets)
    EXECUTE FUNCTION ledger.record_delivery_change();
CREATE OR REPLACE TRIGGER delivery_changed AFTER UPDATE OF deleted_at ON variant FOR EACH ROW
    WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
    EXECUTE FUNCTION ledger.record_delivery_change();
CREATE OR REPLACE TRIGGER delivery_changed AFTER UPDATE OF deleted_at ON collection FOR EACH ROW
    WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
    EXECUTE FUNCTION ledger.record_delivery_change();
CREATE OR REPLACE TRIGGER delivery_changed AFTER UPDATE OF deleted_at, organization_id, collection_id ON track FOR EACH ROW
    WHEN (OLD.deleted_at IS NULL AND OLD.replaces_id IS NULL AND
        (OLD.deleted_at, OLD.organization_id, OLD.collection_id) IS DISTINCT FROM
        (NEW.deleted_at, NEW.organization_id, NEW.collection_id))
    EXECUTE FUNCTION ledger.record_delivery_change();
