-- AlterTable
ALTER TABLE "track" ADD COLUMN     "upload_metadata" TEXT;
