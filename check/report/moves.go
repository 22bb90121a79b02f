package report

import (
	"strings"

	"locus/check"
)

// Moves returns the new URLs of the links that have moved permanently, by their old URLs.
func Moves(r *check.Report) (map[string]string, error) {
	moves := make(map[string]string)
	for f, err := range r.Findings {
		if err != nil {
			return nil, err
		}
		if f.Verdict() == check.MovedVerdict {
			moves[f.Link] = withFragment(f.Moved(), f.Link)
		}
	}
	return moves, nil
}

// withFragment returns to with the fragment of from, unless to has a fragment.
func withFragment(to, from string) string {
	_, fragment, has := strings.Cut(from, "#")
	if !has || strings.Contains(to, "#") {
		return to
	}
	return to + "#" + fragment
}
