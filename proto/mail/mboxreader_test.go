package mail

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// An mboxReader finds the start and the end of each message, and removes the bytes that belong to
// the format.
func TestMboxReader(t *testing.T) {
	const size = 64 // of the buffer
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, test := range []struct {
		text    string
		quoting Quoting
		want    []string
	}{
		{"", MboxRD, nil},
		{"X: y\n\nFrom a 12:34\n", MboxRD, nil}, // not an mbox
		{"\nFrom a 12:34\nX\n", MboxRD, nil},
		{"from a 12:34\nX\n", MboxRD, nil},
		{"From", MboxRD, nil},
		{"From ", MboxRD, []string{""}},
		{"From a\n", MboxRD, []string{""}},
		{"From a\nX", MboxRD, []string{"X"}},
		{"From a\nX: y\n\nbody\n", MboxRD, []string{"X: y\n\nbody\n"}},
		{"From a\nX\n\n", MboxRD, []string{"X\n"}}, // the empty line belongs to the format
		{"From a\nX\n\n\n", MboxRD, []string{"X\n\n"}},
		{"From a\n\n\nX\n", MboxRD, []string{"\n\nX\n"}},
		{"From a\nX\n\nFrom b 12:34\nY\n", MboxRD, []string{"X\n", "Y\n"}},
		{"From a\nX\n\n\nFrom b 12:34\nY\n\n", MboxRD, []string{"X\n\n", "Y\n"}},
		{"From a\r\nX\r\n\r\nFrom b 12:34\r\nY\r\n\r\n", MboxRD, []string{"X\r\n", "Y\r\n"}},
		{"From a\n\nFrom b 12:34\n\nFrom c 12:34\n", MboxRD, []string{"", "", ""}},
		{"From a\nFrom b 12:34\nX\n", MboxRD, []string{"From b 12:34\nX\n"}}, // not after an empty line
		{"From a\nX\nFrom b 12:34\nY\n", MboxRD, []string{"X\nFrom b 12:34\nY\n"}},
		{"From a\nX\n\nFrom me to you\nY\n", MboxRD, []string{"X\n\nFrom me to you\nY\n"}}, // no time of day
		{"From a\nX\n \nFrom b 12:34\nY\n", MboxRD, []string{"X\n \nFrom b 12:34\nY\n"}},
		{"From a\n>From b 12:34\n>>From c\n> From d\n>from e\n>>\n", MboxRD, []string{"From b 12:34\n>From c\n> From d\n>from e\n>>\n"}},
		{"From a\n>From b 12:34\n>>From c\n> From d\n>from e\n>>\n", MboxO, []string{"From b 12:34\n>>From c\n> From d\n>from e\n>>\n"}},
		{"From a\nX\n\n>From b 12:34\n\n\n>From c 12:34\n", MboxRD, []string{"X\n\nFrom b 12:34\n\n\nFrom c 12:34\n"}},
		{"From a\n" + x(size) + "From b 12:34\n", MboxRD, []string{x(size) + "From b 12:34\n"}}, // pieces of a long line
		{"From a\n\n" + x(size) + "From b 12:34\n", MboxRD, []string{"\n" + x(size) + "From b 12:34\n"}},
		{"From a\n" + x(size) + ">From b\n", MboxRD, []string{x(size) + ">From b\n"}},
		{"From a\n" + x(size) + "\nFrom b 12:34\nY\n", MboxRD, []string{x(size) + "\nFrom b 12:34\nY\n"}},
		{"From a\n" + x(size) + "\n\nFrom b 12:34\nY\n", MboxRD, []string{x(size) + "\n", "Y\n"}},
		{"From a\n" + x(size) + "\n", MboxRD, []string{x(size) + "\n"}},
		{"From a " + x(3*size) + "\nX\n", MboxRD, []string{"X\n"}},
		{"From a\nX\n\nFrom b 12:34 " + x(3*size) + "\nY\n", MboxRD, []string{"X\n", "Y\n"}},
		{"From a " + x(size-7) + "\nFrom b 12:34\nX\n", MboxRD, []string{"From b 12:34\nX\n"}},
		{"From a 12:34\n" + strings.Repeat("\n", 10) + "From b 12:34\nY\n", MboxRD, []string{strings.Repeat("\n", 9), "Y\n"}},
	} {
		for name, source := range map[string]io.Reader{"whole": strings.NewReader(test.text), "byte by byte": iotest.OneByteReader(strings.NewReader(test.text))} {
			r := &mboxReader{r: bufio.NewReaderSize(source, size), quoting: test.quoting, atLineStart: true}
			var got []string
			for ok := r.skipToMessage(); ok; ok = r.nextMessage() {
				if before := test.text[:r.offset]; r.atLineStart && !strings.HasSuffix(before, "\n") {
					t.Errorf("%q, %s: a message begins at %d", test.text, name, r.offset)
				}
				text, err := io.ReadAll(iotest.OneByteReader(r))
				if err != nil {
					t.Errorf("%q: %v", test.text, err)
				}
				got = append(got, string(text))
			}
			if !slices.Equal(got, test.want) || r.readError() != nil {
				t.Errorf("%q, %s, has the messages %q, %v, want %q", test.text, name, got, r.readError(), test.want)
			}
			// A message that is not read is skipped.
			r = &mboxReader{r: bufio.NewReaderSize(strings.NewReader(test.text), size), quoting: test.quoting, atLineStart: true}
			n := 0
			for ok := r.skipToMessage(); ok; ok = r.nextMessage() {
				n++
			}
			if n != len(test.want) {
				t.Errorf("%q has %d messages when they are not read, want %d", test.text, n, len(test.want))
			}
		}
	}
}

// readError tells a read error from the end of the file.
func TestMboxReaderBroken(t *testing.T) {
	broken := errors.New("broken")
	for _, text := range []string{"", "From ", "From a\n", "From a\nX\n\n", "From a\nX\n\nFrom b 12:34"} {
		r := &mboxReader{r: bufio.NewReader(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))), atLineStart: true}
		var err error
		for ok := r.skipToMessage(); ok; ok = r.nextMessage() {
			_, err = io.ReadAll(r)
		}
		if !errors.Is(r.readError(), broken) || len(text) > 5 && !strings.HasSuffix(text, "34") && !errors.Is(err, broken) {
			t.Errorf("after %q: Read %v, problem %v, want %v", text, err, r.readError(), broken)
		}
	}
}

func TestIsFromLine(t *testing.T) {
	for _, line := range []string{"From a 12:34", "From a@b Tue Dec 20 09:30:15 1994\n", "From 12:34", "From x12:34y", "From 1:2 :: 00:99\r\n"} {
		if !isFromLine([]byte(line)) {
			t.Errorf("%q is not a From_ line", line)
		}
	}
	for _, line := range []string{
		"", "From", "From ", "From a", ">From a 12:34", "from a 12:34", "From\ta 12:34", "From:12:34", "From 2:34", "From :34", "From 12:3", "From 12:", "From 12.34",
		"From a2:34", "From 1a:34", "From 12:a4", "From 12:3a", "From 12 :34", "From 1/:34", "From :/:34",
	} {
		if isFromLine([]byte(line)) {
			t.Errorf("%q is a From_ line", line)
		}
	}
}
