-- AlterTable
ALTER TABLE "event" ADD COLUMN     "origin" JSONB;
