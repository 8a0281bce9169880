-- Was the start of an upload, recorded once.
ALTER TABLE "track" RENAME COLUMN "upload_began_at" TO "upload_active_at";
