-- AlterTable
ALTER TABLE "organization" ADD COLUMN     "is_domain_default" BOOLEAN NOT NULL DEFAULT false;

-- Until now a domain was either the default of the embedded database, or set.
UPDATE "organization" SET "is_domain_default" = true WHERE "domain" ~ '^localhost:[0-9]+$';

-- CreateTable
CREATE TABLE "installation" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "secret_fingerprint" TEXT NOT NULL,

    CONSTRAINT "installation_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "installation_is_one" CHECK ("id" = 1)
);
