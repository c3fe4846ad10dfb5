package world

// usualEvents are repeated in logs.
var usualEvents = [...]sampleEvent{
	{"ai_prompt", `{"text":"Where is the charge retried?"}`},
	{"ai_response", `{"tokens":412,"model":"assistant-large"}`},
	{"file_edit", `{"path":"internal/charge/charge.go","added":12,"removed":3}`},
	{"test_run", `{"passed":41,"failed":2,"duration_ms":1840.5}`},
	{"ai_prompt", `{"text":"Write a test in which two workers take the same charge 🧪"}`},
	{"ai_response", `{"tokens":1280,"model":"assistant-small","finish_reason":"stop"}`},
	{"file_edit", `{"path":"internal/charge/charge_test.go","added":40,"removed":0}`},
}

// unusualEvents have payloads that clients must accept.
var unusualEvents = [...]sampleEvent{
	{"ai_prompt", `{"text":"cut in the middle of an emoji \ud800"}`},
	{"ai_prompt", "{}"},
	{"ai_prompt", `{"text":null}`},
	{"ai_prompt", `{"text":["in","parts"]}`},
	{"ai_prompt", `{"text":"","attachments":[{"name":"trace.txt","bytes":20480}]}`},
	{"ai_prompt", `{"text":"👩🏽‍💻 naïve — \"quoted\" \\ \u0000 \t 日本語 \u2028"}`},
	{"ai_response", `{"tokens":"1024","model":"assistant-large"}`},
	{"ai_response", `{"tokens":12.5,"model":null}`},
	{"ai_response", `{"tokens":9007199254740993,"model":{"name":"assistant-large","version":3}}`},
	{"ai_response", `{"usage":{"tokens":{"in":12,"out":700}}}`},
	{"terminal_output", `{"":"an empty name","nested":{"a":[[[[{"b":{}}]]]]}}`},
	{"window_blur", `{"seconds":1e2}`},
	{"clipboard", `{"note":"","size":null}`},
}

// longSentence is repeated in a long prompt.
const longSentence = "Here is the log again, please read all of it. "
