-- AlterTable
ALTER TABLE "webhook_endpoint" ADD COLUMN     "concurrency" INTEGER NOT NULL DEFAULT 4;

ALTER TABLE "webhook_endpoint"
    ADD CONSTRAINT "webhook_endpoint_concurrency_range" CHECK ("concurrency" BETWEEN 4 AND 64);
