package apitest

const (
	PendingReport = `{"submission_id":"s","status":"submitted","evaluated":false,"ship_score":null}`
	ReadyReport   = `{"submission_id":"s","status":"evaluated","evaluated":true,"ship_score":82}`
)
