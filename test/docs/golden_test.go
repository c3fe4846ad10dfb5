package docs_test

// goldenless are the operations that answer without a resource.
var goldenless = []string{"Assessments.Delete", "Invitations.Revoke", "OpenAPI"}
