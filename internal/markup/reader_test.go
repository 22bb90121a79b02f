package markup

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// all returns the tokens of a Reader, each with its text, and the error after them.
func all(r *Reader) (tokens []string, err error) {
	for {
		t, text, err := r.Next()
		if err != nil {
			return tokens, err
		}
		tokens = append(tokens, show(t, text))
	}
}

func show(t Token, text []byte) string {
	shown := fmt.Sprintf("%d %s %q %v", t.Kind, t.Name, text[t.From:t.To], t.SelfClosing)
	for _, a := range t.Attributes {
		shown += fmt.Sprintf(" %s=%q", a.Name, text[a.From:a.To])
	}
	return shown
}

// A Reader reads what a Tokenizer reads of the whole, however the stream is cut.
func TestReaderPieces(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	words := []string{
		"<a href=", "b", "'", `"`, ">", "/>", "</a>", "</", "<", "<!--", "-->", "--!>", "<!-", "<script>", "</script>", "<!-- <script>", "<title>", "</title", "x y",
		"<plaintext>", "<?", "<!x", "é", "\x00", " ", "=", "<xmp>", "</xmp>",
	}
	for range 3000 {
		var b strings.Builder
		for range random.IntN(14) {
			b.WriteString(words[random.IntN(len(words))])
		}
		in := b.String()
		var want []string
		z := Tokenizer{Text: []byte(in)}
		for token, ok := z.Next(); ok; token, ok = z.Next() {
			want = append(want, show(token, z.Text))
		}
		for name, from := range map[string]io.Reader{
			"whole": strings.NewReader(in), "bytes": iotest.OneByteReader(strings.NewReader(in)), "halves": iotest.HalfReader(strings.NewReader(in)),
			"with the end": iotest.DataErrReader(strings.NewReader(in)),
		} {
			got, err := all(NewReader(from))
			if strings.Join(got, "\n") != strings.Join(want, "\n") || !errors.Is(err, io.EOF) {
				t.Fatalf("%q (%s): %q, %v, want %q", in, name, got, err, want)
			}
		}
	}
}

// silent is a reader that reads nothing.
type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

func TestReaderEnds(t *testing.T) {
	broken := errors.New("broken")
	long := strings.Repeat("x", MaxToken)
	for _, test := range []struct {
		what string
		from io.Reader
		want int
		err  error
	}{
		{"a tag as long as possible", strings.NewReader("<a href=" + long[len("<a href=>"):] + ">"), 1, io.EOF},
		{"a tag too long", strings.NewReader("<b><a href=" + long + long + ">"), 1, ErrTooLong},
		{"a comment too long", strings.NewReader("<b><!--" + long + long + "--><c>"), 1, ErrTooLong},
		{"a text too long", strings.NewReader("<b>" + long + long + "<c>"), 1, ErrTooLong},
		{"a script too long", strings.NewReader("<script>" + long + long + "</script>"), 1, ErrTooLong},
		{"a text of small pieces", iotest.OneByteReader(strings.NewReader(long + "<c>")), 2, io.EOF},
		{"a broken stream", io.MultiReader(strings.NewReader("<b>x<c"), iotest.ErrReader(broken)), 2, broken},
		{"a silent stream", io.MultiReader(strings.NewReader("<b>"), silent{}), 1, io.ErrNoProgress},
	} {
		r := NewReader(test.from)
		got, err := all(r)
		if len(got) != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s: %d tokens, %v, want %d, %v", test.what, len(got), err, test.want, test.err)
		}
		if _, _, again := r.Next(); !errors.Is(again, test.err) {
			t.Errorf("%s: the next call returns %v, want %v", test.what, again, test.err)
		}
	}
}

// A tag is read as soon as it is there.
func TestReaderWaits(t *testing.T) {
	from, to := io.Pipe()
	defer to.Close()
	r := NewReader(from)
	for _, tag := range []string{"<a href=b>", "<c>"} {
		go to.Write([]byte(tag))
		got, text, err := r.Next()
		if err != nil || string(text[got.From:got.To]) != tag {
			t.Errorf("%q: %v, %v", tag, got, err)
		}
	}
}
