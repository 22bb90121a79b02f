package url

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"locus/internal/peers"
)

// million has the mutants, which are made once for all peers.
var million = sync.OnceValue(func() []string { return mutants(1_000_000) })

// mutants returns n texts that RFC 3986 barely accepts or barely refuses. They are texts from the tables of the other
// tests in which one to four bytes are changed, inserted or removed, or two texts whose halves are joined. mutants
// returns the same texts every time.
func mutants(n int) []string {
	var seeds []string
	for _, std := range standards {
		seeds = append(seeds, accepted[std]...)
	}
	for _, test := range refused {
		seeds = append(seeds, test.in)
	}
	random := rand.New(rand.NewPCG(3986, 9))
	const likely = "::///??##@@[[]]%%..--aAfFgGzZv0125689_~!$&'()*+,;= <>\"\\^`{|}\x00\x1f\x7f\x80\xc3\xff"
	list := make([]string, n)
	for i := range list {
		text := []byte(seeds[random.IntN(len(seeds))])
		for range 1 + random.IntN(4) {
			at := random.IntN(len(text) + 1)
			c := likely[random.IntN(len(likely))]
			switch what := random.IntN(8); {
			case what < 3 && at < len(text):
				text[at] = c
			case what < 5:
				text = append(text[:at], append([]byte{c}, text[at:]...)...)
			case what < 7 && at < len(text):
				text = append(text[:at], text[at+1:]...)
			default:
				other := seeds[random.IntN(len(seeds))]
				text = append(text[:at], other[random.IntN(len(other)+1):]...)
			}
		}
		list[i] = string(text)
	}
	return list
}

// verdicts returns for each text whether a program accepts it, as "1" or "0".
func verdicts(t *testing.T, program string, texts []string) []byte {
	t.Helper()
	var in bytes.Buffer
	for _, s := range texts {
		in.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(s))))
		in.WriteString(s)
	}
	cmd := exec.Command(program)
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil || len(out) != len(texts) {
		t.Fatalf("%s: %v, %d answers to %d texts", program, err, len(out), len(texts))
	}
	return out
}

func TestAcceptanceIsUriparsers(t *testing.T) {
	sameAcceptance(t, peers.Compile(t, "uriparser", "testdata/uriparser.c", "uriparser"), []difference{
		{"RFC 6874 lets an IPv6 address have a zone", false, hasZone},
	})
}

func TestAcceptanceIsBoosts(t *testing.T) {
	sameAcceptance(t, peers.Compile(t, "boost-url", "testdata/boost_url.cpp", "boost_url"), []difference{
		{"RFC 6874 lets an IPv6 address have a zone", false, hasZone},
		{"after an authority, a path starts with a slash (§3.3)", true, goodWithSlash},
	})
}

// hasZone reports whether the host of text is an IPv6 address with a zone.
func hasZone(text string) bool {
	u, err := Parse(text)
	host, _ := u.Host()
	return err == nil && strings.HasPrefix(host, "[") && strings.Contains(host, "%25")
}

// goodWithSlash reports whether text would be valid with a slash between its authority and the text after it.
func goodWithSlash(text string) bool {
	start := strings.Index(text, "//")
	if start < 0 {
		return false
	}
	for i := start + len("//"); i < len(text); i++ {
		if u, err := Parse(text[:i] + "/" + text[i:]); err == nil && u.auth != 0 && int(u.path) == i {
			return true
		}
	}
	return false
}

// A difference is a kind of text on which a peer and Parse disagree and the peer is wrong by the text of RFC 3986.
// doc/conformance.md has the reasons.
type difference struct {
	name  string
	takes bool // the peer accepts the text
	is    func(text string) bool
}

// sameAcceptance compares Parse with a peer on a million mutants. Every disagreement must be a known difference, and
// every known difference must occur.
func sameAcceptance(t *testing.T, program string, known []difference) {
	t.Helper()
	texts := million()
	most := len(texts)
	seen := make([]int, len(known))
	taken := 0
	for i, verdict := range verdicts(t, program, texts) {
		_, err := Parse(texts[i])
		ours, theirs := err == nil, verdict == '1'
		if ours {
			taken++
		}
		if ours == theirs {
			continue
		}
		if !explain(known, seen, texts[i], theirs) {
			t.Errorf("Parse(%q): %v, but the peer accepts it: %v", texts[i], err, theirs)
		}
	}
	for i, d := range known {
		t.Logf("%s: %d of %d", d.name, seen[i], most)
		if seen[i] == 0 {
			t.Errorf("no text shows the known difference %q", d.name)
		}
	}
	if taken < most/10 || taken > most*9/10 {
		t.Errorf("Parse accepts %d of %d mutants, want between 10%% and 90%%", taken, most)
	}
}

// explain finds the known difference that explains the peer's verdict on text, and counts it in seen.
func explain(known []difference, seen []int, text string, takes bool) bool {
	for i, d := range known {
		if d.takes == takes && d.is(text) {
			seen[i]++
			return true
		}
	}
	return false
}
