-- Only a schema that does not exist needs the right to create one.
DO $$ BEGIN IF to_regnamespace('hiring') IS NULL THEN CREATE SCHEMA hiring; END IF; END $$;
CREATE TABLE IF NOT EXISTS results (
	submission_id text PRIMARY KEY,
	candidate text NOT NULL,
	score integer
)
