package check_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"locus/access"
	"locus/check"
	"locus/url"
)

// Check returns the same result as a run for the link.
func TestCheckOne(t *testing.T) {
	s := newSite(t, pages(map[string]string{"/a": "<p id=b>a text</p>", "/next": "<meta http-equiv=refresh content='0; url=/a'>"}))
	c := &check.Checker{Engine: opener(t), Policy: check.Policy{Exclude: []string{"/excluded$"}, Retries: -1}}
	for _, test := range []struct{ link, want string }{
		{s.URL + "/a", "good "},
		{s.URL + "/a#b", "good "},
		{s.URL + "/a#c", `dead the page has no anchor named "c"`},
		{s.URL + "/a#:~:text=text", "good "},
		{s.URL + "/a#:~:text=other", `dead the page does not have the text "other"`},
		{s.URL + "/next#b", "good "},
		{s.URL + "/gone#b", "dead 404 Not Found"},
		{s.URL + "/excluded", `excluded excluded by "/excluded$"`},
		{"mailto:a@b", "good "},
		{"x:y", "unchecked locus cannot open this scheme"},
	} {
		r, err := c.Check(t.Context(), url.MustParse(test.link))
		if err != nil {
			t.Fatalf("Check(%q): %v", test.link, err)
		}
		if got := r.Status.String() + " " + r.Reason; got != test.want || r.Anchors != nil {
			t.Errorf("Check(%s) = %q, %v, want %q", test.link, got, r.Anchors, test.want)
		}
	}
	if n := s.times("HEAD /a"); n != 1 {
		t.Errorf("/a got %d requests with HEAD, want 1", n)
	}
}

// Check returns the cause of its context, and an error for an invalid Policy.
func TestCheckOneFails(t *testing.T) {
	why := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if r, err := (&check.Checker{}).Check(ctx, url.MustParse("http://h/")); !errors.Is(err, why) {
		t.Errorf("Check with a context that is done = %v, %v, want %v", r, err, why)
	}
	c := &check.Checker{Policy: check.Policy{Exclude: []string{"("}}}
	if r, err := c.Check(t.Context(), url.MustParse("http://h/")); err == nil {
		t.Errorf("Check with an invalid Policy = %v, want an error", r)
	}
}

func ExampleChecker_Check() {
	// Most programs have &locus.Client{Dial: dial, NoRedirects: true, Retries: -1} here.
	engine := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return nil, &access.Error{Op: "open", URL: req.URL, Reply: &access.Reply{Code: 550, Text: "No such file"}, Err: errors.New("it is not there")}
	})
	c := &check.Checker{Engine: engine}
	result, err := c.Check(context.Background(), url.MustParse("ftp://ftp.example/a"))
	fmt.Println(result.Status, result.Reason, err)
	// Output: dead 550 No such file <nil>
}
