CREATE TABLE /* TEMPLATE: schema */hiring_jobs (
    organization text NOT NULL,
    assessment_id text NOT NULL,
    address text NOT NULL,
    status text NOT NULL,
    detail text NOT NULL,
    version integer NOT NULL DEFAULT 1,
    updated_at text NOT NULL DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (organization, assessment_id, address)
);

CREATE INDEX hiring_jobs_queued ON /* TEMPLATE: schema */hiring_jobs (organization, assessment_id, address) WHERE status IN ('queued', 'sending');
