-- Liveness of worker pools, by the clock of the database.
CREATE TABLE "worker_pool" (
    "id" TEXT NOT NULL,
    "alive_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "beat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "worker_pool_pkey" PRIMARY KEY ("id")
);
