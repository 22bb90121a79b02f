package house_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"locus/internal/vectors"
	"locus/scheme"
	"locus/url"
)

// realInputs are the lists of URLs that conformance.md counts.
var realInputs = []string{"web70k.txt", "mixed.txt"}

// The counts in the document match the lists.
func TestRealInput(t *testing.T) {
	lists := make(map[string][]string)
	for _, name := range realInputs {
		enterRoot()
		text := vectors.Read(t, "urls/"+name)
		lists[name] = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
	var b strings.Builder
	b.WriteString("| standard | list | URLs | accepted | refused |\n|---|---|--:|--:|--:|\n")
	all := tallies{}
	for _, std := range []url.Standard{url.RFC3986, url.RFC1738, url.RFC1630} {
		for _, name := range realInputs {
			refused := all.count(std, name, lists[name])
			n := len(lists[name])
			fmt.Fprintf(&b, "| %v | %s | %d | %d | %d |\n", std, name, n, n-refused, refused)
		}
	}
	b.WriteString("\n" + all.table())
	checkPart(t, conformance, "real input", b.String())
}

// A complaint is the reason why a standard refuses a text.
type complaint struct {
	std        url.Standard
	rule, want string
}

// tallies count each complaint, by list.
type tallies map[complaint]map[string]int

// count reads every text of a list by std and returns how many it refuses.
func (all tallies) count(std url.Standard, list string, texts []string) (refused int) {
	for _, text := range texts {
		syntax, bad := errors.AsType[*url.SyntaxError](judge(std, text))
		if !bad {
			continue
		}
		refused++
		c := complaint{std, syntax.Rule, syntax.Want}
		if all[c] == nil {
			all[c] = make(map[string]int)
		}
		all[c][list]++
	}
	return refused
}

// judge reads a text as the verb parse of the command does.
func judge(std url.Standard, text string) error {
	_, err := scheme.Read(std, text)
	return err
}

// table lists the complaints with a count of ten or more, the most frequent of each
// standard first. It sums up the others.
func (all tallies) table() string {
	const few = 10
	total := func(c complaint) int { return all[c]["web70k.txt"] + all[c]["mixed.txt"] }
	order := slices.SortedFunc(maps.Keys(all), func(a, b complaint) int {
		if a.std != b.std {
			return strings.Compare(a.std.String(), b.std.String())
		}
		if d := total(b) - total(a); d != 0 {
			return d
		}
		return strings.Compare(a.rule+a.want, b.rule+b.want)
	})
	var b strings.Builder
	b.WriteString("| refused by | wanted | web70k.txt | mixed.txt |\n|---|---|--:|--:|\n")
	others := map[string]int{}
	for _, c := range order {
		if total(c) < few {
			for list, n := range all[c] {
				others[list] += n
			}
			continue
		}
		want := strings.ReplaceAll(c.want, "|", `\|`)
		fmt.Fprintf(&b, "| %s | %s | %d | %d |\n", c.rule, want, all[c]["web70k.txt"], all[c]["mixed.txt"])
	}
	fmt.Fprintf(&b, "| | each for fewer than %d URLs | %d | %d |\n", few, others["web70k.txt"], others["mixed.txt"])
	return b.String()
}
