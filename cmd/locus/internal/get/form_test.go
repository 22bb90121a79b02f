package get

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/form"
)

func TestParseAnswers(t *testing.T) {
	got, err := parseAnswers([]string{"name=Ada", "empty=", "eq=a=b"})
	want := []form.Answer{{Name: "name", Value: "Ada"}, {Name: "empty"}, {Name: "eq", Value: "a=b"}}
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("parseAnswers = %q, %v, want %q", got, err, want)
	}
	for _, text := range []string{"", "x", "=secret"} {
		_, err := parseAnswers([]string{text})
		if _, ok := errors.AsType[*cli.UsageError](err); !ok || strings.Contains(err.Error(), "secret") {
			t.Errorf("parseAnswers(%q) = %v, want a UsageError without the text", text, err)
		}
	}
}
