-- Counters of requests are written for each request and may be lost: after a crash of the server they start again.
ALTER TABLE rate_limit SET UNLOGGED;
