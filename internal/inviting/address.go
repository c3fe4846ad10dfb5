// Package inviting decides who has an invitation, so that no candidate gets a second
// e-mail. [Scan] decides how far to read a listing. [Lookups] decides when to look for an
// invitation after an unknown outcome. [Ends] is the state that survives a crash.
package inviting

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// Addressee is one address in one assessment.
type Addressee struct {
	Assessment, Address string
	Key                 string // A hash of both, from which the address cannot be read.
}

// To returns the addressee of an assessment and an address, however they are spelled.
func To(assessmentID, email string) Addressee {
	to := Addressee{Assessment: strings.ToLower(assessmentID), Address: Address(email)}
	sum := sha256.Sum256([]byte(to.Assessment + "\n" + to.Address))
	to.Key = base64.RawURLEncoding.EncodeToString(sum[:16])
	return to
}

// Address returns the same text for all spellings of one address: it ignores case,
// surrounding white space and zero-width characters (assumed: addresses). Unicode
// normal forms, the two forms of an international domain (punycode), a final dot of
// the domain and quotes in the local part make different addresses.
func Address(email string) string {
	return strings.ToLower(strings.TrimSpace(strings.Map(visible, email)))
}

// visible drops zero-width characters, which copied text may contain.
func visible(c rune) rune {
	if c >= '\u200b' && c <= '\u200d' || c == '\u2060' || c == '\ufeff' {
		return -1
	}
	return c
}
