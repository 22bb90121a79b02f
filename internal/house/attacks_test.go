package house_test

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// threats is the document with the table of attacks.
const threats = "doc/threats.md"

// minAttacks is a number of rows that the table has at least, because a table that lost its
// rows would be up to date, too.
const minAttacks = 75

// The table of the document has a row for each attack that a test names:
//
//	// attack: A client asks for the impossible | the gateway refuses
//	// attack: A client asks for the impossible
//
// The first comment has the attack and the defence. Other tests of the same attack repeat the attack
// only. A comment may continue on the next lines.
func TestAttacks(t *testing.T) {
	rows := attacks(t)
	if len(rows) < minAttacks {
		t.Errorf("%d attacks, want at least %d", len(rows), minAttacks)
	}
	var b strings.Builder
	b.WriteString("| Attack | Defence | Test |\n|---|---|---|\n")
	for _, name := range slices.SortedFunc(maps.Keys(rows), compareAttacks) {
		row := rows[name]
		if row.holds == "" {
			t.Errorf("no test says what holds against %q; it is named by %q", name, row.tests)
		}
		if strings.Contains(name+row.holds, "|") {
			t.Errorf("the attack %q has the defence %q, want only one | between them, because a | ends a cell", name, row.holds)
		}
		var tests []string
		for _, pkg := range slices.Sorted(maps.Keys(row.tests)) {
			tests = append(tests, "`"+pkg+"`: "+strings.Join(slices.Sorted(slices.Values(row.tests[pkg])), ", "))
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, row.holds, strings.Join(tests, "<br>"))
	}
	checkPart(t, threats, "attacks", b.String())
}

// compareAttacks sorts by the words, without the marks of code.
func compareAttacks(a, b string) int {
	plain := strings.NewReplacer("`", "")
	return strings.Compare(plain.Replace(a), plain.Replace(b))
}

// An attack is a row of the table.
type attack struct {
	holds string
	tests map[string][]string // by package
}

// attacks returns the attacks that the tests name. A comment outside a test is an error, so a row
// cannot name a test that does not exist.
func attacks(t *testing.T) map[string]*attack {
	t.Helper()
	rows := make(map[string]*attack)
	add := func(pkg, test, text string) {
		for _, found := range attacksIn(text) {
			if !strings.HasPrefix(test, "Test") && path.Ext(test) != ".txtar" {
				t.Errorf("%s: the attack %q is named outside a test", test, found.name)
			}
			row := rows[found.name]
			if row == nil {
				row = &attack{tests: make(map[string][]string)}
				rows[found.name] = row
			}
			if row.holds != "" && found.holds != "" {
				t.Errorf("%s: the defence against %q is stated twice", test, found.name)
			}
			row.holds += found.holds
			if !slices.Contains(row.tests[pkg], test) {
				row.tests[pkg] = append(row.tests[pkg], test)
			}
		}
	}
	for _, s := range sources(t) {
		if !s.test || s.file == "internal/house/attacks_test.go" {
			continue
		}
		for _, group := range s.ast.Comments {
			add(s.pkg, owner(s, group.Pos()), group.Text())
		}
	}
	for _, file := range scripts(t) {
		text, err := readFile(file)
		if err != nil {
			t.Fatalf("%q: %v", file, err)
		}
		pkg, _, _ := strings.Cut(file, "/testdata/")
		var comments strings.Builder
		for line := range strings.Lines(string(text)) {
			if comment, ok := strings.CutPrefix(line, "# "); ok {
				comments.WriteString(comment)
			} else {
				comments.WriteString("\n")
			}
		}
		add(pkg, path.Base(file), comments.String())
	}
	return rows
}

type namedAttack struct{ name, holds string }

// attacksIn returns the attacks in the text of a comment.
func attacksIn(text string) []namedAttack {
	var found []namedAttack
	var current []string // the words of an attack that may continue
	end := func() {
		if current != nil {
			name, holds, _ := strings.Cut(strings.Join(current, " "), " | ")
			found = append(found, namedAttack{name, holds})
			current = nil
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		first, isFirst := strings.CutPrefix(line, "attack: ")
		switch {
		case isFirst:
			end()
			current = strings.Fields(first)
		case line == "" || strings.HasPrefix(line, "req:"):
			end()
		case current != nil:
			current = append(current, strings.Fields(line)...)
		}
	}
	end()
	return found
}

func TestAttacksIn(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []namedAttack
	}{
		{"attack: a b | c\n", []namedAttack{{"a b", "c"}}},
		{"Words.\n\nattack: a\nb\n| c\nd\nattack: e\n\nwords", []namedAttack{{"a b", "c d"}, {"e", ""}}},
		{"attack: a | b\nreq: 1738-2-1\n", []namedAttack{{"a", "b"}}},
		{"an attack: a | b\n", nil},
		{"", nil},
	} {
		if got := attacksIn(test.in); !slices.Equal(got, test.want) {
			t.Errorf("attacksIn(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}
