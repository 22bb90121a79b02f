package charset

import (
	"errors"
	"strings"
	"testing"
)

// A sink is a WriteCloser. Its Write fails if err is set.
type sink struct {
	strings.Builder
	err    error
	closed int
}

func (s *sink) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	return s.Builder.Write(p)
}

func (s *sink) Close() error {
	s.closed++
	return nil
}

func TestTextWriter(t *testing.T) {
	for _, test := range []struct{ mediaType, fallback, text, want string }{
		{"", "", "plain", "plain"},
		{"", "", "caf\xe9", "café"},
		{"", "", "café", "café"},
		{"", "koi8-r", "\xc4\xc1", "да"},
		{"text/plain; charset=koi8-r", "", "\xc4\xc1", "да"},
		{"text/plain; charset=unheard", "unheard", "caf\xe9", "café"},
	} {
		var s sink
		w := NewTextWriter(&s, test.mediaType, test.fallback)
		for i := range len(test.text) { // a character is complete at its last byte
			if _, err := w.Write([]byte{test.text[i]}); err != nil {
				t.Fatalf("%q: %v", test.mediaType, err)
			}
		}
		if err := w.Close(); err != nil || s.String() != test.want || s.closed != 1 {
			t.Errorf("%q, %q: %q is written as %q, %v, closed %d times, want %q", test.mediaType, test.fallback, test.text, s.String(), err, s.closed, test.want)
		}
	}
}

// The underlying Writer is closed even after an error.
func TestTextWriterFails(t *testing.T) {
	broken := errors.New("broken")
	s := &sink{}
	w := NewTextWriter(s, "", "")
	if _, err := w.Write([]byte("\xc3")); err != nil { // it waits for the rest of a character
		t.Fatal(err)
	}
	s.err = broken
	if err := w.Close(); !errors.Is(err, broken) || s.closed != 1 {
		t.Errorf("Close = %v, closed %d times, want %v, once", err, s.closed, broken)
	}
}
