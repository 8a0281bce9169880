-- CreateTable
CREATE TABLE "metric_reading" (
    "name" TEXT NOT NULL,
    "claimed_at" TIMESTAMPTZ(3) NOT NULL,
    "read_at" TIMESTAMPTZ(3),
    "value" JSONB,

    CONSTRAINT "metric_reading_pkey" PRIMARY KEY ("name")
);
