package gemini_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"locus/access"
	"locus/proto/gemini"
	"locus/proto/pin"
	"locus/url"
)

// readTranscript returns the answers of a recorded server by the requests. After "> " stands a request, and after "< " a
// line of its answer.
func readTranscript(t *testing.T, name string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{}
	request := ""
	for line := range strings.Lines(string(text)) {
		if r, ok := strings.CutPrefix(line, "> "); ok {
			request = strings.TrimSpace(r)
		}
		if answer, ok := strings.CutPrefix(line, "< "); ok {
			if answers[request] == "" {
				answer = strings.TrimSuffix(answer, "\n") + "\r\n"
			}
			answers[request] += answer
		}
	}
	return answers
}

// A recorded server is read as it is meant.
func TestMollyBrown(t *testing.T) {
	answers := readTranscript(t, "molly-brown.txt")
	s := newServer(t, func(request string) (string, ending) {
		if answers[request] == "" {
			t.Errorf("the transcript has no request %q", request)
		}
		return answers[request], closes
	})
	c := gemini.Client{Dial: s.Dial, Pins: new(pin.Pins)}
	for _, test := range []struct{ url, want string }{
		{"gemini://localhost/", `text/gemini "# Tea\n=> pots/ Pots\n=> leaves.gmi Leaves\n=> song.txt\n=> gone.gmi\n"`},
		{"gemini://localhost/pots/", `text/gemini "# Pots\n=> ../leaves.gmi\n"`},
		{"gemini://localhost/pots", "permanent move to gemini://localhost/pots/"},
		{"gemini://localhost/old.gmi", "move to gemini://localhost/leaves.gmi"},
		{"gemini://localhost/song.txt", `text/plain; charset=utf-8 "song\n"`},
		{"gemini://localhost/gone.gmi", "51 Not found!"},
		{"gemini://localhost/private/", "60 A pre-authorised certificate is required to access this resource"},
		{"gemini://elsewhere.example/", "53 No proxying to other hosts or ports!"},
	} {
		if got := described(do(t, c, &access.Request{URL: url.MustParse(test.url)})); got != test.want {
			t.Errorf("Do(%q) gives %s, want %s", test.url, got, test.want)
		}
	}
}

// described returns the result of do as a text.
func described(content string, r *access.Resource, err error) string {
	if moved, ok := errors.AsType[*access.Moved](err); ok {
		if moved.Permanent {
			return "permanent move to " + moved.To.String()
		}
		return "move to " + moved.To.String()
	}
	if failed, ok := errors.AsType[*access.Error](err); ok && failed.Reply != nil {
		return fmt.Sprint(failed.Reply.Code, " ", failed.Reply.Text)
	}
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s %q", r.Type, content)
}
