-- The table of this module. It is valid for PostgreSQL and SQLite.
CREATE TABLE IF NOT EXISTS hiring_jobs (
	organization text NOT NULL,
	assessment_id text NOT NULL,
	address text NOT NULL,
	status text NOT NULL,
	detail text NOT NULL,
	version bigint NOT NULL DEFAULT 1,
	updated_at timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP,
	PRIMARY KEY (organization, assessment_id, address)
);
CREATE INDEX IF NOT EXISTS hiring_queued ON hiring_jobs (organization, assessment_id, address) WHERE status IN ('queued', 'sending')
