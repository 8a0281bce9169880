-- Existing player keys become not downloadable (contract, section 2): they are public, and any holder of one could ask
-- for downloads until now.
ALTER TABLE "api_key"
    ADD COLUMN "is_downloadable" BOOLEAN NOT NULL DEFAULT false,
    ADD CONSTRAINT "api_key_player_is_downloadable" CHECK ("kind" = 'player' OR NOT "is_downloadable");
