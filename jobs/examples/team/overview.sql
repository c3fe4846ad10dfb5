-- A line for each organization, or for the one of the parameter, with tabs between the columns that overview prints. Those that need
-- a look come first. States:
--   paused until resume        `hiring-team resume` starts its deliveries
--   removed, deliveries wait   no poll follows, because it is not listed: list it, or delete it as docs/jobs.md does
--   removed                    the same, and nothing waits
--   never polled               its name is misspelt, or the program only invites
--   key refused                the last poll or run of invitations got a 401
--   polls fail                 the last poll failed
--   deliveries fail            a delivery has failed, and will be retried
--   given up                   `hiring-team retry-all` delivers what was discarded, or cancelled by a handler
--   invitations fail           the last run of invitations failed, or waits because the API fails or the limit of the plan is reached
--   state refused              no process could use its saved state so far: the log line says what to do
--   delivery does not end      one runs for minutes, or its last attempt did not end: the process was killed, perhaps by this result, or the handler hangs
--   late                       its poll has been due for minutes: no process runs, or none is free, or a clock was wrong
WITH organizations AS (
	SELECT organization, bool_or(status = 'paused') AS paused, bool_or(assessment_id || address = '') AS watched,
		max(updated_at) FILTER (WHERE assessment_id || address = '') AS saved, max(updated_at) FILTER (WHERE status = 'watching') AS polled,
		count(*) FILTER (WHERE status IN ('queued', 'sending')) AS queued
	FROM hiring.hiring_jobs GROUP BY 1
), jobs AS (
	SELECT args->>'organization' AS organization, count(*) FILTER (WHERE failed AND finalized_at IS NULL) AS failed, count(finalized_at) AS given_up,
		min(created_at) FILTER (WHERE kind = 'hiring_delivery') AS oldest, bool_or(kind = 'hiring_poll') AS listed, bool_or(kind = 'hiring_poll' AND failed) AS polls_fail,
		bool_or(kind = 'hiring_delivery' AND failed AND finalized_at IS NULL) AS deliveries_fail, bool_or(kind = 'hiring_invitations' AND (failed OR metadata->>'hiring_waits' <> '')) AS invitations_fail,
		bool_or(kind = 'hiring_poll' AND metadata->'snoozes' IS NOT NULL) AS state_refused,
		bool_or(kind = 'hiring_delivery' AND finalized_at IS NULL AND (error IS NOT NULL AND NOT failed OR state = 'running' AND attempted_at < now() - interval '2 minutes')) AS endless,
		bool_or(kind = 'hiring_poll' AND greatest(scheduled_at, attempted_at) < now() - interval '2 minutes') AS not_taken,
		bool_or(kind <> 'hiring_delivery' AND error LIKE '%: 401 %') AS refused, max(CAST(args->>'wait' AS integer)) AS wait
	FROM hiring.river_job, LATERAL (SELECT errors[cardinality(errors)]->>'error' AS error) AS e, LATERAL (SELECT coalesce(error, 'Stuck job rescued by JobRescuer') <> 'Stuck job rescued by JobRescuer' AS failed) AS f
	WHERE kind IN ('hiring_poll', 'hiring_delivery', 'hiring_invitations') AND (finalized_at IS NULL OR kind = 'hiring_delivery' AND state <> 'completed')
	GROUP BY 1
), states AS (
	SELECT *, concat_ws(', ', CASE WHEN paused THEN 'paused until resume' END,
			CASE WHEN watched IS NOT TRUE THEN 'never polled' WHEN listed IS NOT TRUE AND oldest IS NOT NULL THEN 'removed, deliveries wait' WHEN listed IS NOT TRUE THEN 'removed' WHEN refused THEN 'key refused' WHEN polls_fail THEN 'polls fail' WHEN state_refused THEN 'state refused' END,
			CASE WHEN deliveries_fail THEN 'deliveries fail' END, CASE WHEN endless THEN 'delivery does not end' END, CASE WHEN given_up > 0 THEN 'given up' END, CASE WHEN invitations_fail AND refused IS NOT TRUE THEN 'invitations fail' END,
			CASE WHEN not_taken OR NOT polls_fail AND saved + make_interval(mins => 5, secs => wait) < now() THEN 'late' END) AS state
	FROM organizations FULL JOIN jobs USING (organization)
)
SELECT concat_ws(E'\t', organization, coalesce(nullif(state, ''), 'running'), coalesce(CAST(date_trunc('second', now() - polled) AS text), 'never'),
	coalesce(failed, 0), coalesce(given_up, 0), coalesce(CAST(date_trunc('second', now() - oldest) AS text), 'none'), coalesce(queued, 0))
FROM states WHERE $1 IN ('', organization) ORDER BY state = '', organization
