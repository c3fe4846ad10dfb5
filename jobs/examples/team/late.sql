-- A line for each job of an organization that is not completed, as the query of docs/jobs.md, with tabs between the columns.
SELECT concat_ws(E'\t', id, kind, state, coalesce(CAST(date_trunc('second', CASE WHEN state = 'running' THEN now() - attempted_at END) AS text), 'none'), attempt, date_trunc('second', scheduled_at),
	coalesce(attempted_by[cardinality(attempted_by)], 'none'), coalesce(left(errors[cardinality(errors)]->>'at', 19), 'never'),
	coalesce('waits for the ' || nullif(metadata->>'hiring_waits', ''), split_part(errors[cardinality(errors)]->>'error', E'\n', 1), 'none'))
FROM hiring.river_job WHERE args->>'organization' = $1 AND kind LIKE 'hiring\_%' AND (finalized_at IS NULL OR kind = 'hiring_delivery' AND state <> 'completed') ORDER BY id
