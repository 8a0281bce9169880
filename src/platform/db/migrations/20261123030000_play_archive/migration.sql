-- Objects of the archive of plays. A month has a second one if rows arrived after it was archived.
CREATE TABLE "play_archive" (
    "storage_key" TEXT NOT NULL,
    "month" DATE NOT NULL,
    "rows" BIGINT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "sha256" TEXT NOT NULL,
    "archived_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "play_archive_pkey" PRIMARY KEY ("storage_key"),
    CONSTRAINT "play_archive_month_first" CHECK (extract(day FROM "month") = 1)
);

CREATE INDEX "play_archive_month_idx" ON "play_archive" ("month");
