-- Chapters of a track, those of its recording, and tags of the recording that have several values.
ALTER TABLE "track"
  ADD COLUMN "chapters" JSONB,
  ADD COLUMN "source_chapters" JSONB,
  ADD COLUMN "source_tags" JSONB;
