ALTER TABLE resumable_upload ADD COLUMN bucket_key text;
ALTER TABLE resumable_upload ADD COLUMN bucket_upload_id text;
ALTER TABLE resumable_upload ADD CONSTRAINT resumable_upload_bucket
  CHECK ((bucket_key IS NULL) = (bucket_upload_id IS NULL)) NOT VALID;
