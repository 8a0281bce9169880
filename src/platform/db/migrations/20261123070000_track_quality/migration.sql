-- AlterTable
ALTER TABLE "track" ADD COLUMN     "quality" JSONB;
