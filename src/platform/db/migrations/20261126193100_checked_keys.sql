ALTER TABLE api_key VALIDATE CONSTRAINT api_key_private_feed;
ALTER TABLE api_key VALIDATE CONSTRAINT api_key_opens_at;
ALTER TABLE api_key VALIDATE CONSTRAINT api_key_sites;
