-- AlterTable
ALTER TABLE "play_session" ADD COLUMN     "key_id" UUID;

-- CreateIndex
CREATE INDEX "play_session_expires_at_idx" ON "play_session"("expires_at");

-- CreateIndex
CREATE INDEX "track_collection_id_order_id_idx" ON "track"("collection_id", "order", "id");

-- AddForeignKey
ALTER TABLE "play_session" ADD CONSTRAINT "play_session_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_key"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "play_session" ADD CONSTRAINT "play_session_collection_id_fkey" FOREIGN KEY ("collection_id") REFERENCES "collection"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "play_session" ADD CONSTRAINT "play_session_track_id_fkey" FOREIGN KEY ("track_id") REFERENCES "track"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "play_session" ADD CONSTRAINT "play_session_creator_id_fkey" FOREIGN KEY ("creator_id") REFERENCES "creator"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "play_session"
    ADD CONSTRAINT "play_session_metadata_is_object" CHECK (jsonb_typeof("metadata") = 'object'),
    ADD CONSTRAINT "play_session_length" CHECK (
        "expires_at" BETWEEN "created_at" + interval '60 seconds' AND "created_at" + interval '86400 seconds'
    );
