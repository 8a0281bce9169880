-- An endpoint with hundreds of thousands of deliveries is disabled and deleted by a mark, which a task applies in chunks.
ALTER TABLE webhook_endpoint ADD COLUMN give_up_before timestamptz(3), ADD COLUMN deleted_at timestamptz(3);
ALTER TABLE webhook_delivery ADD COLUMN requested_at timestamptz(3);
