DROP TABLE /* TEMPLATE: schema */hiring_jobs;
