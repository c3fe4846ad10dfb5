-- A line for each organization, or for the one of the parameter, with tabs between the columns. Those that need a look come first.
WITH organizations AS (
	SELECT organization, bool_or(status = 'paused') AS paused, bool_or(assessment_id || address = '') AS watched,
		max(updated_at) FILTER (WHERE assessment_id || address = '') AS saved, max(updated_at) FILTER (WHERE status = 'watching') AS polled,
		count(*) FILTER (WHERE status IN ('queued', 'sending')) AS queued, min(updated_at) FILTER (WHERE status = 'queued') AS queued_at, count(*) FILTER (WHERE status = 'cancelled' AND updated_at > now() - interval '1 day') AS rejected
	FROM hiring.hiring_jobs GROUP BY 1
), job AS (
	SELECT *, args->>'organization' AS organization, kind = 'hiring_poll' AS poll, kind = 'hiring_delivery' AND finalized_at IS NULL AS delivery,
		error = 'Stuck job rescued by JobRescuer' AS rescued, error IS NOT NULL AND error <> 'Stuck job rescued by JobRescuer' AND finalized_at IS NULL
			AND (kind <> 'hiring_invitations' OR failed_at > now() - interval '9 minutes') AS failed -- a run may take hours after a failure that is repaired; jobs/counts.go has the same nine minutes
	FROM hiring.river_job, LATERAL (SELECT errors[cardinality(errors)]->>'error' AS error, CAST(errors[cardinality(errors)]->>'at' AS timestamptz) AS failed_at) AS last
	WHERE kind IN ('hiring_poll', 'hiring_delivery', 'hiring_invitations') AND (finalized_at IS NULL OR kind = 'hiring_delivery' AND state <> 'completed')
), jobs AS (
	SELECT organization, count(*) FILTER (WHERE failed) AS failed, count(*) FILTER (WHERE finalized_at IS NOT NULL AND metadata->>'cancel_attempted_at' IS NULL) AS given_up, min(created_at) FILTER (WHERE delivery) AS oldest,
		bool_or(poll) AS listed, max(CAST(args->>'wait' AS integer)) AS wait, bool_or(kind <> 'hiring_delivery' AND failed AND error LIKE '%: 401 %') AS key_refused,
		bool_or(poll AND (failed OR metadata->>'hiring_waits' IS NOT DISTINCT FROM 'API')) AS polls_fail, bool_or(delivery AND failed) AS deliveries_fail,
		bool_or(poll AND metadata->'snoozes' IS NOT NULL) AS state_refused,
		bool_or(poll AND greatest(scheduled_at, attempted_at) < now() - interval '2 minutes') AS not_taken,
		bool_or(delivery AND (rescued OR state = 'running' AND attempted_at < now() - interval '2 minutes')) AS endless,
		bool_or(kind = 'hiring_invitations') AS invites, bool_or(kind = 'hiring_invitations' AND (failed OR metadata->>'hiring_waits' NOT IN ('', 'rate limit'))) AS invitations_fail,
		bool_or(kind <> 'hiring_delivery' AND metadata->>'hiring_waits' = 'rate limit') AS limited,
		bool_or(kind = 'hiring_invitations' AND (rescued AND failed_at > now() - interval '9 minutes' OR state = 'running' AND attempted_at < now() - interval '4 minutes')) AS invitations_endless
	FROM job GROUP BY 1
), states AS (
	SELECT *, concat_ws(', ',
		CASE WHEN paused THEN 'paused until resume' END, -- `hiring-team resume` starts its deliveries
		CASE WHEN key_refused THEN 'key refused' -- the last poll or run of invitations got a 401
			WHEN polls_fail THEN 'polls fail' -- the last poll failed, also because its row was deleted, or the API asked for a long wait
			WHEN watched IS NOT TRUE THEN 'never polled' -- its name is misspelt, or the program only invites
			WHEN listed IS NOT TRUE AND oldest IS NOT NULL THEN 'removed, deliveries wait' -- not listed, so no poll follows: list it, or delete it as docs/jobs.md does
			WHEN listed IS NOT TRUE THEN 'removed' -- the same, and nothing waits
			WHEN state_refused THEN 'state refused' END, -- no process could use its saved state so far: the log line says what to do
		CASE WHEN deliveries_fail THEN 'deliveries fail' END, -- a delivery has failed, and will be retried
		CASE WHEN endless THEN 'delivery does not end' END, -- one runs for minutes, or its last attempt did not end: its process was killed, perhaps by this result, or the handler hangs
		CASE WHEN given_up > 0 THEN 'given up' END, -- `hiring-team retry-all` delivers what was discarded, or cancelled by a handler
		CASE WHEN invitations_fail AND key_refused IS NOT TRUE THEN 'invitations fail' END, -- its run failed in the last nine minutes, or waits because the API fails or the limit of the plan is reached
		CASE WHEN invitations_endless THEN 'invitations do not end' END, -- a run takes at most three minutes: its process was killed or hangs, and seven minutes after its start another one follows
		CASE WHEN invites IS NOT TRUE AND queued_at < now() - interval '2 minutes' THEN 'invitations not sent' END, -- no run for two minutes: Invitations do not list the organization
		CASE WHEN limited THEN 'waits for the rate limit' END, -- polls or invitations, until the window ends
		CASE WHEN polled > now() + interval '1 minute' THEN 'clock' END, -- the last poll is in the future: the database's clock is or was wrong
		CASE WHEN not_taken OR NOT polls_fail AND saved + make_interval(mins => 5, secs => wait) < now() THEN 'late' END) AS state -- its poll has been due for minutes: no process runs, or none is free
	FROM organizations FULL JOIN jobs USING (organization)
)
SELECT concat_ws(E'\t', organization, coalesce(nullif(state, ''), 'running'), coalesce(CAST(date_trunc('second', now() - polled) AS text), 'never'),
	coalesce(failed, 0), coalesce(given_up, 0), coalesce(CAST(date_trunc('second', now() - oldest) AS text), 'none'), coalesce(queued, 0), coalesce(rejected, 0))
FROM states WHERE $1 IN ('', organization) ORDER BY state = '', organization
