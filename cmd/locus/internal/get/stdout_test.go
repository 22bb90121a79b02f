package get

import (
	"errors"
	"io"
	"strings"
	"testing"

	"locus/cmd/locus/internal/clitest"
)

// An unknown character set is refused before a URL is fetched.
func TestCharsetMisuse(t *testing.T) {
	clitest.Table(t, Verb(), []clitest.Case{
		{Args: []string{"--charset=klingon", "gopher://127.0.0.1:1/0x"}, Status: 2, Stderr: `--charset: unknown character set "klingon"`},
	})
}

func TestLimited(t *testing.T) {
	errLarge := errors.New("too large")
	for size := range 5 {
		r := &limited{strings.NewReader("abc"[:min(size, 3)]), 2, errLarge}
		got, err := io.ReadAll(r)
		wantErr := error(nil)
		if size > 2 {
			wantErr = errLarge
		}
		if !errors.Is(err, wantErr) || string(got) != "abc"[:min(size, 2)] {
			t.Errorf("a reader limited to 2 bytes, of %d bytes = %q, %v, want the error %v", size, got, err, wantErr)
		}
	}
}
