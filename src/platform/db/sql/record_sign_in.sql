-- Owner: activity

-- Records that an administrator signed in, in any way that begins a session.
CREATE OR REPLACE FUNCTION record_sign_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO activity (
        organization_id, action, record, record_id, record_name, actor_kind, actor_id, actor_name, address
    )
    SELECT organization_id, 'signed_in', 'administrator', id, email, 'administrator', id, email, NEW.address
    FROM administrator WHERE id = NEW.administrator_id;
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER activity_sign_in AFTER INSERT ON sign_in_session FOR EACH ROW EXECUTE FUNCTION record_sign_in();
