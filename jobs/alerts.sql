-- Queries that find what needs a person, for PostgreSQL only. The first column names the alert.
-- The schema of the tables, with public for Migrate without a schema.
SET search_path = hiring, public;

-- an organization that is not polled: it was removed and its rows remain (docs/jobs.md deletes them), or the errors of its hiring_poll job say why.
SELECT 'alert' AS "an organization that is not polled", organization, updated_at AS last_poll FROM hiring_jobs LEFT JOIN river_job ON kind = 'hiring_poll' AND args->>'organization' = organization AND finalized_at IS NULL
	WHERE address = '' AND assessment_id = '' AND updated_at < now() - interval '5 minutes' - make_interval(secs => coalesce(CAST(args->>'wait' AS integer), 0));

-- paused deliveries: repair a receiver that responded with 410, then `hiring-team resume`, or delete the row.
SELECT 'alert' AS "paused deliveries", organization, detail, updated_at FROM hiring_jobs WHERE status = 'paused';

-- failing deliveries: river_job.errors has the errors, which may contain candidate data. Repair the handler or the receiver.
SELECT 'alert' AS "failing deliveries", args->>'organization' AS organization, args->>'submission_id' AS submission, attempt, scheduled_at AS next_attempt FROM river_job
	WHERE kind = 'hiring_delivery' AND state IN ('available', 'retryable', 'running', 'scheduled') AND errors[cardinality(errors)]->>'error' <> 'Stuck job rescued by JobRescuer' ORDER BY id;

-- deliveries that run for long: the handler hangs, or its process was killed.
SELECT 'alert' AS "deliveries that run for long", args->>'organization' AS organization, args->>'submission_id' AS submission, attempt, attempted_at, attempted_by FROM river_job
	WHERE kind = 'hiring_delivery' AND state = 'running' AND attempted_at < now() - interval '2 minutes';

-- deliveries whose attempts did not end twice: this result may kill its process. `hiring-team cancel`, and repair the handler.
SELECT 'alert' AS "deliveries whose attempts did not end twice", id, args->>'organization' AS organization, args->>'submission_id' AS submission, attempt, attempted_by FROM river_job WHERE kind = 'hiring_delivery' AND finalized_at IS NULL
	AND (SELECT count(*) FROM unnest(errors) AS e WHERE e->>'error' = 'Stuck job rescued by JobRescuer') > 1;

-- deliveries that were never attempted: check the workers, handlers that hang, and the rate limit.
SELECT 'alert' AS "deliveries that were never attempted", args->>'organization' AS organization, count(*) AS waiting, min(created_at) AS oldest FROM river_job
	WHERE kind = 'hiring_delivery' AND state IN ('available', 'scheduled') AND errors IS NULL GROUP BY 2 HAVING min(created_at) < now() - interval '15 minutes';

-- results that are not delivered: repair the cause, then `hiring-team retry-all`.
SELECT 'alert' AS "results that are not delivered", id, args->>'organization' AS organization, args->>'submission_id' AS submission, state FROM river_job
	WHERE kind = 'hiring_delivery' AND (state = 'discarded' OR state = 'cancelled' AND metadata->>'cancel_attempted_at' IS NULL);

-- submissions that cannot be decoded: ask the support of the API, then `hiring-team deliver`, which deletes the row.
SELECT 'alert' AS "submissions that cannot be decoded", organization, substr(address, 13) AS submission, detail FROM hiring_jobs WHERE status = 'unreadable';

-- rejected candidates: correct the data and call jobs.Invite again.
SELECT 'alert' AS "rejected candidates", organization, assessment_id, address, detail FROM hiring_jobs WHERE status = 'cancelled';

-- invitations that no process sends: list the organization, or delete the rows of a misspelt one.
SELECT 'alert' AS "invitations that no process sends", organization, count(*) AS queued, min(updated_at) AS oldest FROM hiring_jobs AS queued WHERE status IN ('queued', 'sending') AND NOT EXISTS (
		SELECT FROM river_job WHERE kind = 'hiring_invitations' AND args->>'organization' = organization AND finalized_at IS NULL)
	GROUP BY organization HAVING min(updated_at) < now() - interval '10 minutes';

-- runs of invitations that fail: the error, or what the run waits for. One that runs for more than four minutes hangs, or its process was killed, and one that was rescued twice may kill it.
SELECT 'alert' AS "runs of invitations that fail", id, args->>'organization' AS organization, state, attempted_at, metadata->>'hiring_waits' AS waits_for, errors[cardinality(errors)]->>'error' AS error FROM river_job
	WHERE kind = 'hiring_invitations' AND finalized_at IS NULL AND (metadata->>'hiring_waits' NOT IN ('', 'rate limit') OR state = 'running' AND attempted_at < now() - interval '4 minutes'
		OR (SELECT count(*) FROM unnest(errors) AS e WHERE e->>'error' = 'Stuck job rescued by JobRescuer' AND CAST(e->>'at' AS timestamptz) > now() - interval '20 minutes') > 1
		OR errors[cardinality(errors)]->>'error' <> 'Stuck job rescued by JobRescuer' AND CAST(errors[cardinality(errors)]->>'at' AS timestamptz) > now() - interval '9 minutes');

-- queued invitations: a run sends them, unless another query names their organization.
SELECT 'no alert' AS "queued invitations", organization, count(*) AS queued, min(updated_at) AS oldest FROM hiring_jobs WHERE status IN ('queued', 'sending') GROUP BY organization ORDER BY oldest;
