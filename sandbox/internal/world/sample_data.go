package world

// This file is sample data that is written by hand.

func sampleAccount() Account {
	return Account{
		ID: "0c000000-0000-4000-8000-000000000001", Name: "Sandbox Hiring Ltd", Slug: "sandbox-hiring",
		Plan:  Plan{ID: "growth", SubscriptionStatus: "active", BillingCurrency: "eur", LimitsEnforced: true},
		Usage: Usage{PeriodStart: moment("2026-03-01T00:00:00.000Z"), AssessmentsUsed: 381, AssessmentsLimit: 500},
		Branding: Branding{
			AccentColor: "#2f6fed", PrimaryColor: new("#101828"), SenderName: new("Sandbox Hiring – Émilie"),
		},
		CreatedAt: moment("2025-09-15T10:20:30.405Z"),
	}
}

var sampleMembers = []Member{
	{"de000000-0000-4000-8000-000000000003", "noor@sandbox.test", "Noor van Dijk", "member", moment("2026-01-08T08:15:00.120Z")},
	{"de000000-0000-4000-8000-000000000002", "tomas@sandbox.test", "Tomás Rivera", "member", moment("2025-10-02T13:45:10.000Z")},
	{"de000000-0000-4000-8000-000000000001", "emilie@sandbox.test", "Émilie Laurent", "admin", moment("2025-09-15T10:20:30.405Z")},
}

var sampleChallenges = []Challenge{
	{
		ID: "c0000000-0000-4000-8000-000000000005", Slug: "internal-feature-flags", Name: "Feature flags, our way",
		Domain: "platform", Difficulty: "medium", Level: "senior", Stack: "typescript",
		TimeLimitMinutes: 75, BudgetDollarsCap: 6.5, IsPlatform: false, IsMultiTask: false,
		PublishedAt: moment("2026-02-11T09:30:00.000Z"), CreatedAt: moment("2026-02-10T16:05:44.018Z"),
		BriefMD: "# Feature flags\n\nAdd *gradual rollout* to our flag service.\n\n- keep the wire format\n- a user never flips back\n",
	},
	{
		ID: "c0000000-0000-4000-8000-000000000004", Slug: "churn-notebook", Name: "Churn notebook rescue",
		Domain: "data", Difficulty: "easy", Level: "junior", Stack: "python",
		TimeLimitMinutes: 60, BudgetDollarsCap: 3, IsPlatform: true, IsMultiTask: false,
		PublishedAt: moment("2025-11-20T08:00:00.000Z"), CreatedAt: moment("2025-11-18T12:00:00.001Z"),
		BriefMD: "A notebook reports 140 % churn. Find out why and make it tell the truth.\n",
	},
	{
		ID: "c0000000-0000-4000-8000-000000000003", Slug: "accessible-checkout", Name: "Accessible checkout",
		Domain: "frontend", Difficulty: "medium", Level: "mid", Stack: "react",
		TimeLimitMinutes: 90, BudgetDollarsCap: 5, IsPlatform: true, IsMultiTask: false,
		PublishedAt: moment("2025-10-06T08:00:00.000Z"), CreatedAt: moment("2025-10-01T09:12:13.140Z"),
		BriefMD: "## Checkout\n\nMake the form usable with a keyboard & a screen reader.\n",
	},
	{
		ID: "c0000000-0000-4000-8000-000000000002", Slug: "rate-limiter", Name: "Rate limiter under load",
		Domain: "backend", Difficulty: "hard", Level: "staff", Stack: "go",
		TimeLimitMinutes: 120, BudgetDollarsCap: 12.25, IsPlatform: true, IsMultiTask: false,
		PublishedAt: moment("2025-09-22T08:00:00.000Z"), CreatedAt: moment("2025-09-20T07:30:00.999Z"),
		BriefMD: "Two nodes, one limit. Requests <= 1000 an hour & no shared lock.\n",
	},
	{
		ID: "c0000000-0000-4000-8000-000000000001", Slug: "payments-backend", Name: "Payments backend",
		Domain: "backend", Difficulty: "medium", Level: "senior", Stack: "go",
		TimeLimitMinutes: 90, BudgetDollarsCap: 8, IsPlatform: true, IsMultiTask: true,
		PublishedAt: moment("2025-09-16T08:00:00.000Z"), CreatedAt: moment("2025-09-15T11:00:00.250Z"),
		BriefMD: "# Payments\n\nThree tasks in one repository:\n\n1. a double charge\n2. refunds\n3. a slow ledger\n",
		Tasks: []Task{
			{"7a5c0000-0000-4000-8000-000000000001", "double-charge", "bug", "Customers are charged twice", 0, 0.4, 30},
			{"7a5c0000-0000-4000-8000-000000000002", "refunds", "feature", "Partial refunds", 1, 0.35, 35},
			{"7a5c0000-0000-4000-8000-000000000003", "slow-ledger", "efficiency", "The ledger takes nine seconds", 2, 0.25, 25},
		},
	},
}

var sampleAssessments = []Assessment{
	{
		ID: "a0000000-0000-4000-8000-000000000006", Name: "Platform engineer, flags team",
		ChallengeID: "c0000000-0000-4000-8000-000000000005", Status: "active", TimeLimitMinutes: 75,
		BudgetDollarsCap: new(6.5),
		CreatedAt:        moment("2026-02-20T15:00:00.000Z"), UpdatedAt: moment("2026-02-20T15:00:00.000Z"),
	},
	{
		ID: "a0000000-0000-4000-8000-000000000005", Name: "Data analyst (filled)",
		ChallengeID: "c0000000-0000-4000-8000-000000000004", Status: "closed", TimeLimitMinutes: 60,
		BudgetDollarsCap: new(3.0),
		CreatedAt:        moment("2026-01-20T10:10:10.101Z"), UpdatedAt: moment("2026-02-27T17:59:59.999Z"),
	},
	{
		ID: "a0000000-0000-4000-8000-000000000004", Name: "Staff engineer, traffic",
		ChallengeID: "c0000000-0000-4000-8000-000000000002", Status: "active", TimeLimitMinutes: 120,
		CreatedAt: moment("2026-01-19T09:00:00.000Z"), UpdatedAt: moment("2026-01-21T11:22:33.444Z"),
	},
	{
		ID: "a0000000-0000-4000-8000-000000000003", Name: "Frontend engineer 日本語 ✨",
		ChallengeID: "c0000000-0000-4000-8000-000000000003", Status: "active", TimeLimitMinutes: 90,
		BudgetDollarsCap: new(5.0),
		CreatedAt:        moment("2026-01-15T14:30:00.007Z"), UpdatedAt: moment("2026-01-15T14:30:00.007Z"),
	},
	{
		ID: "a0000000-0000-4000-8000-000000000002", Name: "Payments engineer, whole challenge",
		ChallengeID: "c0000000-0000-4000-8000-000000000001", Status: "active", TimeLimitMinutes: 90,
		CreatedAt: moment("2026-01-13T12:00:00.000Z"), UpdatedAt: moment("2026-01-13T12:00:00.000Z"),
	},
	{
		ID: "a0000000-0000-4000-8000-000000000001", Name: "Senior payments engineer",
		ChallengeID: "c0000000-0000-4000-8000-000000000001", Status: "active", TimeLimitMinutes: 90,
		BudgetDollarsCap: new(10.0),
		SelectedTaskIDs:  []string{"7a5c0000-0000-4000-8000-000000000001", "7a5c0000-0000-4000-8000-000000000003"},
		CreatedAt:        moment("2026-01-12T08:00:00.000Z"), UpdatedAt: moment("2026-02-01T08:00:00.500Z"),
	},
}

// Names, each with its spelling in e-mail addresses.
var (
	firstNames = [...][2]string{
		{"Ada", "ada"}, {"Björn", "bjorn"}, {"Chiara", "chiara"}, {"Dmitri", "dmitri"}, {"Esi", "esi"}, {"Farah", "farah"},
		{"Giulia", "giulia"}, {"Hugo", "hugo"}, {"Ines", "ines"}, {"Jin", "jin"}, {"Kwame", "kwame"}, {"Lena", "lena"},
		{"Mateo", "mateo"}, {"Nadia", "nadia"}, {"Oskar", "oskar"}, {"Priya", "priya"}, {"Quinn", "quinn"}, {"Rosa", "rosa"},
		{"Sana", "sana"}, {"Théo", "theo"}, {"Uma", "uma"}, {"Vera", "vera"}, {"Wei", "wei"}, {"Zoë", "zoe"},
	}
	lastNames = [...][2]string{
		{"Abara", "abara"}, {"Bergström", "bergstrom"}, {"Costa", "costa"}, {"Dubois", "dubois"}, {"Eriksen", "eriksen"}, {"Fernández", "fernandez"},
		{"García", "garcia"}, {"Haddad", "haddad"}, {"Ivanova", "ivanova"}, {"Jansen", "jansen"}, {"Kowalski", "kowalski"}, {"Li", "li"},
		{"Moreau", "moreau"}, {"Nakamura", "nakamura"}, {"O'Brien", "obrien"}, {"Petrov", "petrov"}, {"Quispe", "quispe"}, {"Rossi", "rossi"},
		{"Şahin", "sahin"}, {"Tanaka", "tanaka"}, {"Usman", "usman"}, {"Vargas", "vargas"}, {"Weber", "weber"}, {"Xu", "xu"},
		{"Yılmaz", "yilmaz"}, {"Zhang", "zhang"}, {"Ødegaard", "odegaard"}, {"Åkesson", "akesson"}, {"Nguyễn", "nguyen"}, {"Smith", "smith"},
		{"da Silva", "dasilva"},
	}
)
