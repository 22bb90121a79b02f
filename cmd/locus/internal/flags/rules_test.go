package flags

import (
	"errors"
	"testing"
)

// A flag that was given as --flag=false does not break a rule.
func TestCheck(t *testing.T) {
	for _, test := range []struct {
		given Given
		rule  Rule
		want  string // the text of the error; "": nil
	}{
		{Given{}, Rule{Flags: "jobs rate", Needs: "nats"}, ""},
		{Given{"rate": true}, Rule{Flags: "jobs rate", Needs: "nats run"}, "--rate needs --nats"},
		{Given{"rate": true, "run": true}, Rule{Flags: "jobs rate", Needs: "nats run"}, ""},
		{Given{"rate": true, "run": false}, Rule{Flags: "jobs rate", Needs: "nats run"}, "--rate needs --nats"},
		{Given{"wrap": true}, Rule{Flags: "wrap", Excludes: "json count"}, ""},
		{Given{"wrap": true, "count": true}, Rule{Flags: "wrap", Excludes: "json count"}, "--wrap and --count cannot be combined"},
		{Given{"wrap": true, "count": false}, Rule{Flags: "wrap", Excludes: "json count"}, ""},
		{Given{"wrap": false, "count": true}, Rule{Flags: "wrap", Excludes: "json count"}, ""},
		{Given{"wrap": true, "json": true}, Rule{Flags: "wrap", Excludes: "json", Text: "%s is 100% text"}, "--wrap is 100% text"},
		{Given{"wrap": true}, Rule{Flags: "wrap", Needs: "text", Excludes: "json"}, "--wrap needs --text"},
		{Given{"wrap": true, "text": true}, Rule{Flags: "wrap", Needs: "text", Excludes: "json"}, ""},
		{Given{"wrap": true, "text": true, "json": true}, Rule{Flags: "wrap", Needs: "text", Excludes: "json"}, "--wrap and --json cannot be combined"},
		{Given{"wrap": true}, Rule{Flags: "wrap", Text: "%s is not for folders"}, "--wrap is not for folders"},
		{Given{"rate": true}, Rule{Flags: "wrap", Text: "%s is not for folders"}, ""},
	} {
		err := test.given.Check(test.rule)
		if test.want == "" {
			if err != nil {
				t.Errorf("%v.Check(%+v) = %v, want nil", test.given, test.rule, err)
			}
			continue
		}
		usage, ok := errors.AsType[*UsageError](err)
		if !ok || usage.Text != test.want {
			t.Errorf("%v.Check(%+v) = %v, want %s", test.given, test.rule, err, test.want)
		}
	}
}

// Check returns the error of the first broken rule, with its hint.
func TestCheckOrder(t *testing.T) {
	given := Given{"json": true, "raw": true}
	err := given.Check(Rule{Flags: "wrap"}, Rule{Flags: "raw", Text: "%s first", Hint: "leave it out"}, Rule{Flags: "json", Text: "%s second"})
	usage, ok := errors.AsType[*UsageError](err)
	if want := (UsageError{"--raw first", "leave it out"}); !ok || *usage != want {
		t.Errorf("%v.Check = %#v, want %#v", given, err, want)
	}
}
