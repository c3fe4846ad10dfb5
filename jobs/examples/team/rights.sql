-- The statements of docs/jobs.md that give the role the rights that it lacks.
SELECT coalesce(string_agg(DISTINCT format('GRANT %s TO %I', missing, current_user), '; '), '') FROM (
	SELECT 'USAGE ON SCHEMA hiring' WHERE NOT has_schema_privilege('hiring', 'USAGE')
	UNION ALL SELECT 'SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hiring' FROM pg_class, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS one
		WHERE relnamespace = 'hiring'::regnamespace AND relkind = 'r' AND NOT has_table_privilege(pg_class.oid, one)
	UNION ALL SELECT 'USAGE ON ALL SEQUENCES IN SCHEMA hiring' FROM pg_class WHERE relnamespace = 'hiring'::regnamespace AND CASE WHEN relkind = 'S' THEN NOT has_sequence_privilege(oid, 'USAGE') END
	UNION ALL SELECT 'SELECT, INSERT, UPDATE ON results' FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE']) AS one WHERE NOT has_table_privilege('results', one)
) AS rights(missing)
