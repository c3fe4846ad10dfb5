package jobs_test

const roleVariable = "HIRING_JOBS_ROLE"

func work() int { return 1 }
