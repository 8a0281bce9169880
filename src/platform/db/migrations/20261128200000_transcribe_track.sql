ALTER TYPE job_kind ADD VALUE 'transcribe_track' AFTER 'rebuild_track';
