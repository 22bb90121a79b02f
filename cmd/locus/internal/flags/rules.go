package flags

import "strings"

// A Rule says that flags need other flags, or exclude them. The flags are long names with
// blanks between them.
type Rule struct {
	Flags    string // the rule is about each of these flags
	Needs    string // each of Flags needs one of these; "": the rule demands no other flag
	Excludes string // each of Flags excludes these; "" in a rule without Needs: Flags are refused
	Text     string // the text of the error, with %s for the first of Flags that was given; "": the usual text
	Hint     string // the hint of the error; may be ""
}

// Check returns a UsageError for the first rule that the flags break; nil if they break none.
func (g Given) Check(rules ...Rule) error {
	for _, r := range rules {
		if text := r.broken(g); text != "" {
			return &UsageError{Text: text, Hint: r.Hint}
		}
	}
	return nil
}

// broken returns the text of the error if the flags in g break the rule, and "" if they obey it.
func (r Rule) broken(g Given) string {
	flag := g.First(strings.Fields(r.Flags)...)
	other := g.First(strings.Fields(r.Excludes)...)
	needsApply := r.Needs != "" || r.Excludes == ""
	isRefused := other != "" || needsApply && g.First(strings.Fields(r.Needs)...) == ""
	switch {
	case flag == "" || !isRefused:
		return ""
	case r.Text != "":
		return strings.Replace(r.Text, "%s", flag, 1)
	case other != "":
		return flag + " and " + other + " cannot be combined"
	}
	needed, _, _ := strings.Cut(r.Needs, " ")
	return flag + " needs " + Dashed(needed)
}
