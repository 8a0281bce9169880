ALTER TABLE api_key VALIDATE CONSTRAINT api_key_share_limits;
ALTER TABLE api_key VALIDATE CONSTRAINT api_key_is_downloadable;
