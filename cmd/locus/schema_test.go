package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"locus/check"
	"locus/cmd/locus/internal/cli"
)

// A schema is the description of an object in doc/command.schema.json.
type schema struct {
	Required   []string
	Properties map[string]struct {
		Type any
		Enum []any
		Ref  string `json:"$ref"`
	}
	Defs map[string]schema `json:"$defs"`
}

// The objects that a verb writes with --json fit the schema. The schema describes every verb with
// --json.
func TestJSONSchema(t *testing.T) {
	text, err := os.ReadFile("../../doc/command.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var all schema
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	dir, other := t.TempDir(), t.TempDir()
	at := "file://" + filepath.ToSlash(dir) + "/"
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("<file:///none> <http://127.0.0.1:1/> mailto:a@b\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	commands := map[string][][]string{
		"parse":   {{"http://u:p@h:80/p?q#f", "ftp://h/\xff", "x y", "http://h:x/"}, {"--as", "whatwg", "http://h/?a", "x"}},
		"compare": {{`http://a\@b/`, "http://h/"}},
		"ls":      {{at}},
		"stat":    {{at + "a.txt"}},
		"get":     {{"--output-dir", filepath.Join(dir, "got"), at + "a.txt", at + "none"}},
		"mirror":  {{at, filepath.Join(other, "copy")}, {"--dry-run", at, filepath.Join(other, "plan")}},
		"put":     {{filepath.Join(dir, "a.txt"), at + "b.txt"}, {filepath.Join(dir, "none"), at + "b.txt"}},
		"append":  {{filepath.Join(dir, "a.txt"), at + "b.txt"}},
		"cp":      {{at + "a.txt", at + "none/c.txt"}, {at + "a.txt", at + "c.txt"}},
		"mkdir":   {{at + "new/"}},
		"rm":      {{at + "b.txt", at + "none"}},
		"extract": {{filepath.Join(dir, "a.txt")}},
		"check":   {{"--all", "--no-mx", "--retries", "0", filepath.Join(dir, "a.txt")}},
		"schemes": {nil},
		"version": {nil},
		"help":    {nil, {"get"}},
	}
	for _, verb := range program().All() {
		if !slices.ContainsFunc(verb.Flags(), func(f cli.Flag) bool { return f.Name == "json" }) {
			continue
		}
		name := strings.TrimPrefix(all.Properties[verb.Name].Ref, "#/$defs/")
		objects := 0
		for _, args := range commands[verb.Name] {
			for line := range bytes.Lines(stdoutOf(t, append([]string{"locus", verb.Name, "--json"}, args...))) {
				objects++
				checkObject(t, verb.Name, all.Defs[name], line)
			}
		}
		if objects == 0 {
			t.Errorf("the tests of %s --json wrote no object", verb.Name)
		}
	}
}

// stdoutOf returns the stdout of a command.
func stdoutOf(t *testing.T, args []string) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "stdout")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	program().Run(t.Context(), testEnv(null, f, null), args)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func checkObject(t *testing.T, verb string, s schema, line []byte) {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(line, &object); err != nil {
		t.Errorf("%s wrote %s: %v", verb, line, err)
		return
	}
	for _, key := range s.Required {
		if _, ok := object[key]; !ok {
			t.Errorf("%s wrote an object without %q: %s", verb, key, line)
		}
	}
	for key, value := range object {
		if got := jsonType(value); !slices.Contains(typesIn(s.Properties[key].Type), got) {
			t.Errorf("%s wrote %q as %s, want %v: %s", verb, key, got, s.Properties[key].Type, line)
		}
	}
}

// typesIn returns the type names of a schema: one name, or a list.
func typesIn(types any) []string {
	var names []string
	switch types := types.(type) {
	case string:
		names = []string{types}
	case []any:
		for _, name := range types {
			names = append(names, name.(string))
		}
	}
	if slices.Contains(names, "number") {
		names = append(names, "integer")
	}
	return names
}

func jsonType(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	}
	return "object"
}

// The schema lists all words of closed lists.
func TestSchemaOfLinks(t *testing.T) {
	text, err := os.ReadFile("../../doc/command.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var all schema
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	var statuses, classes []any
	for s := check.Good; s.String() != "unknown"; s++ {
		statuses = append(statuses, s.String())
	}
	source, err := os.ReadFile("../../check/class.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, constant := range regexp.MustCompile(`(?m)^\tClass\w+ +Class += "(.+?)"`).FindAllStringSubmatch(string(source), -1) {
		classes = append(classes, constant[1])
	}
	link := all.Defs["link"].Properties
	if got := link["status"].Enum; !slices.Equal(got, statuses) {
		t.Errorf("the schema has the statuses %v, want %v", got, statuses)
	}
	if got := link["class"].Enum; !slices.Equal(got, append(classes, nil)) {
		t.Errorf("the schema has the classes %v, want %v and null", got, classes)
	}
}
