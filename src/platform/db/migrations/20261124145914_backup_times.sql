-- AlterTable
ALTER TABLE "installation" ADD COLUMN     "last_backup_at" TIMESTAMPTZ(3),
ADD COLUMN     "last_drill_at" TIMESTAMPTZ(3);
