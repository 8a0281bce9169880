-- DropIndex
DROP INDEX "administrator_organization_id_idx";

-- CreateTable
CREATE TABLE "sign_in_session" (
    "id" UUID NOT NULL,
    "administrator_id" UUID NOT NULL,
    "refresh_hash" TEXT NOT NULL,
    "address" TEXT,
    "user_agent" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "sign_in_session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "signing_key" (
    "id" TEXT NOT NULL,
    "sealed_key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "signing_key_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "sign_in_session_refresh_hash_key" ON "sign_in_session"("refresh_hash");

-- CreateIndex
CREATE INDEX "sign_in_session_administrator_id_idx" ON "sign_in_session"("administrator_id");

-- CreateIndex
CREATE INDEX "sign_in_session_expires_at_idx" ON "sign_in_session"("expires_at");

-- One form of an address: a plain unique index then finds it, and keeps it single however it is written.
DROP INDEX "administrator_email_taken";
UPDATE "administrator" SET "email" = lower("email") WHERE "email" <> lower("email");
ALTER TABLE "administrator" ADD CONSTRAINT "administrator_email_is_lower" CHECK ("email" = lower("email"));
CREATE UNIQUE INDEX "administrator_email_taken" ON "administrator"("email");

-- CreateIndex
CREATE INDEX "administrator_organization_id_created_at_id_idx" ON "administrator"("organization_id", "created_at" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "sign_in_session" ADD CONSTRAINT "sign_in_session_administrator_id_fkey" FOREIGN KEY ("administrator_id") REFERENCES "administrator"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "sign_in_session"
    ADD CONSTRAINT "sign_in_session_refresh_hash_form" CHECK ("refresh_hash" ~ '^[0-9a-f]{64}$'),
    ADD CONSTRAINT "sign_in_session_ends_later" CHECK ("expires_at" > "created_at");
