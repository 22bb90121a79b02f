package schemes

import (
	"encoding/json"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/clitest"
	"locus/scheme"
)

// The table and the JSON have a line for each scheme, with the same facts.
func TestSchemes(t *testing.T) {
	status, table, stderr := clitest.Run(t, Verb(), clitest.Input{})
	rows := strings.Split(strings.TrimSuffix(table, "\n"), "\n")[1:]
	jsonStatus, objects, _ := clitest.Run(t, Verb(), clitest.Input{}, "--json")
	lines := strings.Split(strings.TrimSuffix(objects, "\n"), "\n")
	if n := len(scheme.All()); status != 0 || jsonStatus != 0 || stderr != "" || len(rows) != n || len(lines) != n {
		t.Fatalf("schemes = %d, and schemes --json = %d, %q, with %d rows and %d objects, want %d", status, jsonStatus, stderr, len(rows), len(lines), n)
	}
	for i, line := range lines {
		var s schemeFacts
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatalf("Unmarshal(%q): %v", line, err)
		}
		cells := strings.Fields(rows[i])
		if cells[0] != s.Name || (cells[1] == "-") != (s.Port == nil) || (cells[2] == "-") != (s.Secure == nil) || (cells[3] == "yes") != s.Opens {
			t.Errorf("the row %q differs from the object %s", rows[i], line)
		}
		known, ok := scheme.Lookup(s.Name)
		if !ok || s.View != (known.Parse != nil) || s.Spec != known.Spec || s.Spec == "" {
			t.Errorf("the object %s differs from %+v", line, known)
		}
		if s.Opens && !cli.CanOpen(s.Name) {
			t.Errorf("schemes says that %s is opened, but the client has no engine for it", s.Name)
		}
	}
}

// The schemes of RFC 1738 that can be opened, and the schemes that name no resource.
func TestSchemesOpen(t *testing.T) {
	_, table, _ := clitest.Run(t, Verb(), clitest.Input{})
	for name, want := range map[string]string{
		"ftp": "yes", "http": "yes", "gopher": "yes", "news": "yes", "nntp": "yes", "telnet": "yes", "wais": "yes", "file": "yes", "prospero": "yes",
		"mailto": "no", "urn": "no",
	} {
		found := ""
		for line := range strings.Lines(table) {
			if cells := strings.Fields(line); cells[0] == name {
				found = cells[3]
			}
		}
		if found != want {
			t.Errorf("opens %s: %q, want %q", name, found, want)
		}
	}
}
