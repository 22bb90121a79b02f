package check

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestDecoded(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"a", "a"},
		{"\xef\xbb\xbfa", "\ufeffa"}, // because columns count these bytes
		{"\xff", "\xff"},
		{"\xff\xfe", ""},
		{"\xff\xfea\x00\xfc\x00", "aü"},
		{"\xfe\xff\x00a\x00\xfc", "aü"},
		{"\xff\xfe=\xd8\x00\xde", "😀"},
		{"\xfe\xff\xd8=\xde\x00", "😀"},
		{"\xff\xfe=\xd8", "\ufffd"},
		{"\xff\xfe=\xd8a\x00", "\ufffda"},
		{"\xff\xfe\x00\xdea\x00", "\ufffda"},
		{"\xff\xfe=\xd8=\xd8\x00\xde", "\ufffd😀"},
		{"\xff\xfea\x00b", "a\ufffd"},
		{"\xff\xfea\x00\xff\xfeb\x00", "a\ufeffb"},
		{"\xff\xfe" + strings.Repeat("a\x00", 100_000), strings.Repeat("a", 100_000)},
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(test.in), "bytes": iotest.OneByteReader(strings.NewReader(test.in))} {
			if got, err := io.ReadAll(decoded(r)); string(got) != test.want || err != nil {
				t.Errorf("%.20q is read (%s) as %.40q, %v, want %.40q", test.in, name, got, err, test.want)
			}
		}
		got, err := io.ReadAll(decoded(io.MultiReader(strings.NewReader(test.in), iotest.ErrReader(broken))))
		if !errors.Is(err, broken) || len(test.in)%2 == 0 && string(got) != test.want {
			t.Errorf("%.20q followed by an error is read as %.40q, %v", test.in, got, err)
		}
	}
}
