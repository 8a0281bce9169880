ALTER TABLE "webhook_endpoint" DROP CONSTRAINT "webhook_endpoint_concurrency_range";
ALTER TABLE "webhook_endpoint"
    ADD CONSTRAINT "webhook_endpoint_concurrency_range" CHECK ("concurrency" BETWEEN 4 AND 256);
