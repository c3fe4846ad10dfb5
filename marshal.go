package hiring

// Every resource encodes as the service writes it, with its unknown members, and
// decodes from that again, under encoding/json and json/v2 alike.

func (Account) resource() {}

// MarshalJSON writes the service's names, and Extra beside them.
func (a Account) MarshalJSON() ([]byte, error) { return encode(a) }

// UnmarshalJSON keeps what it does not know in Extra.
func (a *Account) UnmarshalJSON(b []byte) error { return decode(b, a) }

func (Plan) resource() {}

// MarshalJSON writes the service's names, and Extra beside them.
func (v Plan) MarshalJSON() ([]byte, error) { return encode(v) }

// UnmarshalJSON keeps what it does not know in Extra.
func (v *Plan) UnmarshalJSON(b []byte) error { return decode(b, v) }

func (Usage) resource() {}

// MarshalJSON writes the service's names, and Extra beside them.
func (v Usage) MarshalJSON() ([]byte, error) { return encode(v) }

// UnmarshalJSON keeps what it does not know in Extra.
func (v *Usage) UnmarshalJSON(b []byte) error { return decode(b, v) }

func (Branding) resource() {}

// MarshalJSON writes the service's names, and Extra beside them.
func (v Branding) MarshalJSON() ([]byte, error) { return encode(v) }

// UnmarshalJSON keeps what it does not know in Extra.
func (v *Branding) UnmarshalJSON(b []byte) error { return decode(b, v) }

func (Member) resource() {}

// MarshalJSON writes the service's names, and Extra beside them.
func (v Member) MarshalJSON() ([]byte, error) { return encode(v) }

// UnmarshalJSON keeps what it does not know in Extra.
func (v *Member) UnmarshalJSON(b []byte) error { return decode(b, v) }

func (Challenge) resource() {}

// MarshalJSON writes the service's names, and Extra beside them.
func (v Challenge) MarshalJSON() ([]byte, error) { return encode(v) }

// UnmarshalJSON keeps what it does not know in Extra.
func (v *Challenge) UnmarshalJSON(b []byte) error { return decode(b, v) }

func (Task) resource() {}

// MarshalJSON writes the service's names, and Extra beside them.
func (v Task) MarshalJSON() ([]byte, error) { return encode(v) }

// UnmarshalJSON keeps what it does not know in Extra.
func (v *Task) UnmarshalJSON(b []byte) error { return decode(b, v) }

func (Assessment) resource() {}

// MarshalJSON writes the service's names, and Extra beside them.
func (v Assessment) MarshalJSON() ([]byte, error) { return encode(v) }

// UnmarshalJSON keeps what it does not know in Extra.
func (v *Assessment) UnmarshalJSON(b []byte) error { return decode(b, v) }

func (Invitation) resource() {}

// MarshalJSON writes the service's names, and Extra beside them.
func (v Invitation) MarshalJSON() ([]byte, error) { return encode(v) }

// UnmarshalJSON keeps what it does not know in Extra.
func (v *Invitation) UnmarshalJSON(b []byte) error { return decode(b, v) }

func (Submission) resource() {}

// MarshalJSON writes the service's names, and Extra beside them.
func (v Submission) MarshalJSON() ([]byte, error) { return encode(v) }

// UnmarshalJSON keeps what it does not know in Extra.
func (v *Submission) UnmarshalJSON(b []byte) error { return decode(b, v) }

func (SubmissionChallenge) resource() {}

// MarshalJSON writes the service's names, and Extra beside them.
func (v SubmissionChallenge) MarshalJSON() ([]byte, error) { return encode(v) }

// UnmarshalJSON keeps what it does not know in Extra.
func (v *SubmissionChallenge) UnmarshalJSON(b []byte) error { return decode(b, v) }

func (Candidate) resource() {}

// MarshalJSON writes the service's names, and Extra beside them.
func (v Candidate) MarshalJSON() ([]byte, error) { return encode(v) }

// UnmarshalJSON keeps what it does not know in Extra.
func (v *Candidate) UnmarshalJSON(b []byte) error { return decode(b, v) }

func (Budget) resource() {}

// MarshalJSON writes the service's names, and Extra beside them.
func (v Budget) MarshalJSON() ([]byte, error) { return encode(v) }

// UnmarshalJSON keeps what it does not know in Extra.
func (v *Budget) UnmarshalJSON(b []byte) error { return decode(b, v) }

func (Report) resource() {}

// MarshalJSON writes the service's names, and Extra beside them.
func (r Report) MarshalJSON() ([]byte, error) { return encode(r) }

// UnmarshalJSON keeps what it does not know in Extra.
func (r *Report) UnmarshalJSON(b []byte) error { return decode(b, r) }

func (PipelineRank) resource() {}

// MarshalJSON writes the service's names, and Extra beside them.
func (v PipelineRank) MarshalJSON() ([]byte, error) { return encode(v) }

// UnmarshalJSON keeps what it does not know in Extra.
func (v *PipelineRank) UnmarshalJSON(b []byte) error { return decode(b, v) }

func (Pillar) resource() {}

// MarshalJSON writes the service's names, and Extra beside them.
func (p Pillar) MarshalJSON() ([]byte, error) { return encode(p) }

// UnmarshalJSON keeps what it does not know in Extra.
func (p *Pillar) UnmarshalJSON(b []byte) error { return decode(b, p) }

func (Facts) resource() {}

// MarshalJSON writes the service's names, and Extra beside them.
func (v Facts) MarshalJSON() ([]byte, error) { return encode(v) }

// UnmarshalJSON keeps what it does not know in Extra.
func (v *Facts) UnmarshalJSON(b []byte) error { return decode(b, v) }

func (Event) resource() {}

// MarshalJSON writes the service's names, and Extra beside them.
func (e Event) MarshalJSON() ([]byte, error) { return encode(e) }

// UnmarshalJSON keeps what it does not know in Extra.
func (e *Event) UnmarshalJSON(b []byte) error { return decode(b, e) }
