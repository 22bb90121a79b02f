package schemes

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"locus/cmd/locus/internal/clitest"
)

// Each line is an object that has exactly the members of the schema, with their types. The names
// are sorted and unique.
func TestSchema(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../doc/command.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Defs map[string]struct {
			Required   []string
			Properties map[string]struct{ Type any }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	schema := all.Defs["scheme"]
	_, stdout, _ := clitest.Run(t, Verb(), clitest.Input{}, "--json")
	var names []string
	for line := range strings.Lines(stdout) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatalf("Unmarshal(%q): %v", line, err)
		}
		for _, name := range schema.Required {
			if _, ok := object[name]; !ok {
				t.Errorf("the object %s does not have the member %q", line, name)
			}
		}
		for name, value := range object {
			property, ok := schema.Properties[name]
			kind := map[bool]string{true: "null"}[value == nil]
			switch value.(type) {
			case string:
				kind = "string"
			case bool:
				kind = "boolean"
			case float64:
				kind = "integer"
			case []any:
				kind = "array"
			}
			kinds, isList := property.Type.([]any)
			if !ok || property.Type != kind && !(isList && slices.Contains(kinds, any(kind))) {
				t.Errorf("the member %q of %s is a %s, which the schema does not have", name, line, kind)
			}
		}
		names = append(names, object["name"].(string))
	}
	if len(names) < 20 || !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("the names are %q, want them sorted and unique", names)
	}
}

// The verb takes no arguments, and only its own flags.
func TestMisuse(t *testing.T) {
	t.Parallel()
	clitest.Table(t, Verb(), []clitest.Case{
		{Args: []string{"ftp"}, Status: 2, Stderr: "schemes takes no arguments"},
		{Args: []string{"--json=perhaps"}, Status: 2, Stderr: "--json must be true or false"},
		{Args: []string{"--jsn"}, Status: 2, Stderr: "did you mean --json?"},
		{Args: []string{"--all"}, Status: 2, Stderr: "--all"},
	})
}
