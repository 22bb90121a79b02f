package main

import (
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"locus"
	"locus/access"
	"locus/internal/facts"
	"locus/proto/mail"
	"locus/scheme"
	"locus/transfer"
	"locus/url"
)

// verbURLs are URLs of each scheme, of which each verb that the scheme has accepts one.
var verbURLs = map[string][]string{
	"afs":        {"afs:/afs/c/a", "afs:/afs/c/a/"},
	"cid":        {"cid:a@h"},
	"cso":        {"cso://h/?a"},
	"data":       {"data:,a"},
	"dict":       {"dict://h/d:a"},
	"file":       {"file:///a", "file:///"},
	"finger":     {"finger://h/a"},
	"ftp":        {"ftp://h/a", "ftp://h/a/"},
	"ftpes":      {"ftpes://h/a", "ftpes://h/a/"},
	"ftps":       {"ftps://h/a", "ftps://h/a/"},
	"gemini":     {"gemini://h/a"},
	"gopher":     {"gopher://h/1/a", "gopher://h/7/a", "gopher://h/0/a%09%09?"},
	"gophers":    {"gophers://h/1/a", "gophers://h/7/a", "gophers://h/0/a%09%09?"},
	"http":       {"http://h/a", "http://h/a/"},
	"https":      {"https://h/a", "https://h/a/"},
	"imap":       {"imap://u:p@h/a"},
	"imaps":      {"imaps://u:p@h/a"},
	"mailserver": {"mailserver:a@h"},
	"mailto":     {"mailto:a@h"},
	"mid":        {"mid:a@h"},
	"news":       {"news://h/a.b"},
	"nfs":        {"nfs://h/a", "nfs://h/a/"},
	"nntp":       {"nntp://h/a.b"},
	"nntps":      {"nntps://h/a.b"},
	"prospero":   {"prospero://h/a"},
	"rlogin":     {"rlogin://u@h/"},
	"sftp":       {"sftp://h/a", "sftp://h/a/"},
	"snews":      {"snews://h/a.b"},
	"telnet":     {"telnet://h/"},
	"titan":      {"titan://h/a"},
	"tn3270":     {"tn3270://h/"},
	"wais":       {"wais://h/a"},
	"z39.50r":    {"z39.50r://h/a"},
	"z39.50s":    {"z39.50s://h/a"},
}

var errUnreachable = errors.New("the network is unreachable")

// noMail is a mail.Source that cannot be reached.
type noMail struct{}

func (noMail) Find(context.Context, mail.Query) (*mail.Message, error) { return nil, errUnreachable }

// verbs are the columns of the table. try carries out the verb; the scheme has the verb unless the error wraps
// errors.ErrUnsupported.
var verbs = []tableVerb{
	{"get", tryOp(access.Get)},
	{"stat", tryOp(access.Stat)},
	{"mirror", func(ctx context.Context, c *locus.Client, u url.URL) error {
		root, err := os.OpenRoot(c.AFS)
		if err != nil {
			return err
		}
		defer root.Close()
		_, err = transfer.Mirror(ctx, c, u, root, transfer.MirrorOptions{})
		return err
	}},
	{"put", tryOp(access.Put)},
	{"append", tryOp(access.Append)},
	{"rm", tryOp(access.Delete)},
	{"mkdir", tryOp(access.MakeDir)},
	{"search", func(_ context.Context, _ *locus.Client, u url.URL) error {
		if _, ok := scheme.SearchURL(u, "a"); !ok {
			return errors.ErrUnsupported
		}
		return nil
	}},
	{"forms", tryOp(access.Ask)},
	{"session", func(_ context.Context, _ *locus.Client, u url.URL) error {
		if !facts.Of(u.Scheme()).Has(facts.Session) {
			return errors.ErrUnsupported
		}
		return nil
	}},
}

// A tableVerb is a column of the table.
type tableVerb struct {
	name string
	try  func(ctx context.Context, c *locus.Client, u url.URL) error
}

// tryOp returns a function that carries out op.
func tryOp(op access.Op) func(ctx context.Context, c *locus.Client, u url.URL) error {
	return func(ctx context.Context, c *locus.Client, u url.URL) error {
		r, err := c.Do(ctx, &access.Request{Op: op, URL: u, Body: strings.NewReader("a: b\n\n"), Size: 6})
		if err == nil && op.HasBody() {
			r.Body.Close()
		}
		return err
	}
}

// The table of verbs and schemes in doc/command.md says which verbs each scheme has. Run the test with -u to write it
// anew.
func TestVerbsOfSchemes(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	c := &locus.Client{
		Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errUnreachable },
		Root: root, AFS: dir, Mail: []mail.Source{noMail{}}, Retries: -1,
	}
	defer c.Close()
	var names []string
	for _, v := range verbs {
		names = append(names, v.name)
	}
	table := "| | " + strings.Join(names, " | ") + " |\n|---" + strings.Repeat("|---", len(names)) + "|\n"
	for _, name := range c.Schemes() {
		if verbURLs[name] == nil {
			t.Errorf("verbURLs lacks a URL of %s", name)
		}
		table += "| " + name
		for _, v := range verbs {
			has := slices.ContainsFunc(verbURLs[name], func(text string) bool {
				return !errors.Is(v.try(t.Context(), c, url.MustParse(text)), errors.ErrUnsupported)
			})
			table += map[bool]string{true: " | yes", false: " |"}[has]
		}
		table += " |\n"
	}
	const doc, begin, end = "../../doc/command.md", "<!-- verbs: written by go test ./cmd/locus -run TestVerbsOfSchemes -u -->\n", "<!-- end of verbs -->\n"
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), begin)
	got, after, ok := strings.Cut(rest, end)
	switch {
	case !ok:
		t.Fatalf("%s lacks the lines %q and %q", doc, begin, end)
	case got == table:
	case *update:
		if err := os.WriteFile(doc, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table of verbs in %s is out of date: run the test with -u; it should be\n%s", doc, table)
	}
}
