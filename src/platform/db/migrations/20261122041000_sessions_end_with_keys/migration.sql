-- AlterTable
ALTER TABLE "upload_session" ADD COLUMN "key_id" UUID;

-- CreateIndex
CREATE INDEX "upload_session_key_id_idx" ON "upload_session"("key_id");

-- AddForeignKey
ALTER TABLE "upload_session" ADD CONSTRAINT "upload_session_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_key"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- A session of a key that expires sooner is shorter than a client may ask for.
ALTER TABLE "play_session"
    DROP CONSTRAINT "play_session_length",
    ADD CONSTRAINT "play_session_length" CHECK (
        "expires_at" > "created_at" AND "expires_at" <= "created_at" + interval '86400 seconds'
    );
ALTER TABLE "upload_session"
    DROP CONSTRAINT "upload_session_length",
    ADD CONSTRAINT "upload_session_length" CHECK (
        "expires_at" > "created_at" AND "expires_at" <= "created_at" + interval '86400 seconds'
    );
