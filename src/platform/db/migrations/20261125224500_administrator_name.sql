ALTER TABLE administrator ADD COLUMN name text;
