package cli

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"locus"
	"locus/access"
	"locus/cmd/locus/internal/flags"
	"locus/internal/shard"
	"locus/transfer"
	"locus/url"
)

// newLoggedEnv returns an Env whose messages go to a file, and a function that returns the messages.
func newLoggedEnv(t *testing.T) (e *Env, said func() string) {
	t.Helper()
	e = newEnv(t.TempDir(), nil)
	out, err := os.Create(filepath.Join(e.Dir, "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	e.Stderr, err = os.Create(filepath.Join(e.Dir, "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		out.Close()
		e.Stderr.Close()
	})
	e.Out.Reset(out)
	return e, func() string { return readText(t, filepath.Join(e.Dir, "stderr")) }
}

// EachURL opens every valid URL, although others are wrong, and then fails. A misuse and an interrupt end it.
func TestEachURL(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args string
		do   error // of URLs whose path is /fail
		want error // nil: EachURL succeeds
		asks string
		says string
	}{
		{"http://h/a URL:ftp://h/b", nil, nil, "http://h/a ftp://h/b", ""},
		{"http://[ http://h/a", nil, ErrReported, "http://h/a", "locus: parse \"http://[\": "},
		{"http://h/fail http://h/a", errors.New("no"), ErrReported, "http://h/fail http://h/a", "locus: no\n"},
		{"http://h/fail http://h/a", ErrReported, ErrReported, "http://h/fail http://h/a", ""},
		{"http://h/fail http://h/a", Misuse("no"), Misuse("no"), "http://h/fail", ""},
		{"", nil, nil, "", ""},
	} {
		e, said := newLoggedEnv(t)
		var asked []string
		err := e.EachURL(t.Context(), strings.Fields(test.args), url.Parse, 0, func(_ context.Context, u url.URL) error {
			asked = append(asked, u.String())
			if u.Path() == "/fail" {
				return test.do
			}
			return nil
		})
		if isSame := err == nil && test.want == nil || err != nil && test.want != nil && err.Error() == test.want.Error(); !isSame || flags.IsMisuse(err) != flags.IsMisuse(test.want) {
			t.Errorf("EachURL(%q), which fails with %v, = %v, want %v", test.args, test.do, err, test.want)
		}
		if got := strings.Join(asked, " "); got != test.asks {
			t.Errorf("EachURL(%q), which fails with %v, opens %q, want %q", test.args, test.do, got, test.asks)
		}
		if got := said(); !strings.HasPrefix(got, test.says) || test.says == "" && got != "" {
			t.Errorf("EachURL(%q), which fails with %v, says %q, want %q", test.args, test.do, got, test.says)
		}
	}
}

// The timeout is for each URL. The end of the context ends everything.
func TestEachURLEnds(t *testing.T) {
	t.Parallel()
	wait := func(ctx context.Context, _ url.URL) error {
		<-ctx.Done()
		return ctx.Err()
	}
	e, said := newLoggedEnv(t)
	if err := e.EachURL(t.Context(), []string{"http://h/", "ftp://h/"}, url.Parse, time.Nanosecond, wait); err != ErrReported {
		t.Errorf("after the timeout EachURL = %v, want %v", err, ErrReported)
	}
	if got := said(); strings.Count(got, "timed out after 1ns") != 2 || strings.Count(got, "--max-time") != 2 {
		t.Errorf("after the timeout EachURL says %q, want two timeouts with hints", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.EachURL(ctx, []string{"http://h/"}, url.Parse, 0, wait); !errors.Is(err, ErrInterrupted) {
		t.Errorf("after an interrupt EachURL = %v, want %v", err, ErrInterrupted)
	}
}

// DialChecked asks about the address of the host and not about its name, so that a name cannot lead to an address that is
// refused.
func TestDialChecked(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	errRefused := errors.New("refused")
	var asked []string
	dial := DialChecked(0, func(address string) error {
		asked = append(asked, address)
		return errRefused
	})
	if c, err := dial(t.Context(), "tcp4", "localhost:"+port); c != nil || !errors.Is(err, errRefused) {
		t.Errorf("a dial that check refuses = %v, %v, want %v", c, err, errRefused)
	}
	if !slices.Equal(asked, []string{"127.0.0.1:" + port}) {
		t.Errorf("check is asked about %q, want the address", asked)
	}
	c, err := DialChecked(0, func(string) error { return nil })(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatalf("a dial that check allows = %v", err)
	}
	c.Close()
}

// A program that opens URLs for other people opens only the schemes that it was given, and marks the schemes that
// reach the files of this machine.
func TestOpens(t *testing.T) {
	t.Parallel()
	e := newEnv(t.TempDir(), nil)
	client, err := e.Client(Access{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	client.Engines.Opens = func(scheme string) bool { return scheme == "http" || scheme == "gopher" || scheme == "file" }
	schemes := client.Engines.schemes(Dial)
	for name, want := range map[string]access.Scheme{"file": {Shared: true}, "gopher": {}, "ftp": {}} {
		if got := schemes[name].Shared; got != want.Shared {
			t.Errorf("the scheme %s is shared: %v, want %v", name, got, want.Shared)
		}
	}
	if got, want := client.Schemes(), []string{"file", "gopher", "http"}; !slices.Equal(got, want) {
		t.Errorf("the client opens %q, want %q", got, want)
	}
}

// A message about a retry says why, and after which wait.
func TestNote(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		wait    time.Duration
		isQuiet bool
		want    string
	}{
		{1234 * time.Millisecond, false, "locus: 421 busy; trying again in 1.2s\n"},
		{10 * time.Millisecond, false, "locus: 421 busy; trying again\n"},
		{0, false, "locus: 421 busy; trying again\n"},
		{time.Second, true, ""},
	} {
		e, said := newLoggedEnv(t)
		e.Quiet = test.isQuiet
		e.Note(url.URL{}, errors.New("421 busy"), test.wait)
		if got := said(); got != test.want {
			t.Errorf("Note(%v), quiet: %v, says %q, want %q", test.wait, test.isQuiet, got, test.want)
		}
	}
}

// A warning of the client shows no password.
func TestWarn(t *testing.T) {
	t.Parallel()
	for _, isQuiet := range []bool{false, true} {
		e, said := newLoggedEnv(t)
		e.Quiet = isQuiet
		client, err := e.Client(Access{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		client.Warn(url.MustParse("ftp://u:secret@h/a"), errors.New("it is not whole"))
		want := "locus: warning: ftp://u:xxxxx@h/a: it is not whole\n"
		if isQuiet {
			want = ""
		}
		if got := said(); got != want {
			t.Errorf("Warn, quiet: %v, says %q, want %q", isQuiet, got, want)
		}
	}
}

// Without --limit-rate the rate of all transfers stays unlimited, and --per-host has a default.
func TestLimit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		o       Fetch
		rate    int64 // 0: no Rate
		perHost int
	}{
		{Fetch{}, 0, 8},
		{Fetch{LimitRate: 1000, PerHost: 2}, 1000, 2},
	} {
		c := &Client{Client: &locus.Client{}}
		c.Limit(test.o)
		if (c.Rate != nil) != (test.rate > 0) || c.Rate != nil && c.Rate.PerSecond != test.rate {
			t.Errorf("Limit(%+v) sets the rate %+v, want %v", test.o, c.Rate, test.rate)
		}
		if c.Limiter == nil || c.Limiter.PerServer != test.perHost {
			t.Errorf("Limit(%+v) sets the limiter %+v, want %d connections", test.o, c.Limiter, test.perHost)
		}
	}
}

// --shard restricts the files of a transfer, and keeps its patterns.
func TestDivide(t *testing.T) {
	t.Parallel()
	all := transfer.Filter{Include: []string{"*.md"}}
	got := Sharded{Shard: shard.Shard{Part: 2, Count: 5}}.Divide(all)
	if got.Part != 2 || got.Parts != 5 || !slices.Equal(got.Include, all.Include) {
		t.Errorf("Divide by 2/5 = %+v", got)
	}
	if got := (Sharded{}).Divide(all); got.Parts != 0 {
		t.Errorf("Divide without --shard = %+v", got)
	}
}

// The values of flags that name a host or a part are checked before any work.
func TestParseValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		flag, text string
		want       any // nil: a misuse that quotes the text
	}{
		{"host", "example.org", "example.org"},
		{"host", "::1", "::1"},
		{"host", "[::1]", "[::1]"},
		{"host", "", nil},
		{"host", "h:80", nil},
		{"host", "http://h/", nil},
		{"host", "u@h", nil},
		{"host", "a,b", nil},
		{"host", "a b", nil},
		{"host", "[::1]:80", nil},
		{"shard", "1/4", shard.Shard{Part: 1, Count: 4}},
		{"shard", "4/4", shard.Shard{Part: 4, Count: 4}},
		{"shard", "0/4", nil},
		{"shard", "5/4", nil},
		{"shard", "01/4", nil},
		{"shard", "1", nil},
		{"shard", "", nil},
		{"scheme", "FTP://", "ftp"},
		{"scheme", "z39.50s:", "z39.50s"},
		{"scheme", "ftp:/", nil},
		{"scheme", "", nil},
		{"retries", "0", -1},
		{"retries", "3", 3},
	} {
		got, err := Spec(test.flag).Kind.Parse(test.flag, test.text)
		switch {
		case test.want != nil && (err != nil || got != test.want):
			t.Errorf("--%s %q = %v, %v, want %v", test.flag, test.text, got, err, test.want)
		case test.want == nil && (!flags.IsMisuse(err) || !strings.HasPrefix(err.Error(), "--"+test.flag+" must be ") || !strings.HasSuffix(err.Error(), `, not "`+test.text+`"`)):
			t.Errorf("--%s %q = %v, %v, want a misuse", test.flag, test.text, got, err)
		}
	}
}
