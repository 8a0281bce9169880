-- AlterTable
ALTER TABLE "administrator" ADD COLUMN     "tokens_ended_at" TIMESTAMPTZ(3);
