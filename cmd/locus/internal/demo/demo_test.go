package demo

import (
	"errors"
	"io/fs"
	"maps"
	"net"
	"strings"
	"testing"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/clitest"
	"locus/cmd/locus/internal/flags"
	"locus/demo"
	"locus/url"
)

func TestParsePorts(t *testing.T) {
	for _, test := range []struct {
		texts []string
		want  map[string]uint16
		err   string
	}{
		{nil, map[string]uint16{}, ""},
		{[]string{"http=8080", "ftp=0", "http=81"}, map[string]uint16{"http": 81, "ftp": 0}, ""},
		{[]string{"http"}, nil, "--port must be SCHEME=PORT"},
		{[]string{"nope=1"}, nil, `not "nope=1"`},
		{[]string{"http=65536"}, nil, "--port must be a number from 0 to 65535"},
		{[]string{"http=-1"}, nil, `not "-1"`},
		{[]string{"http="}, nil, `not ""`},
	} {
		got, err := parsePorts(test.texts)
		switch {
		case test.err == "" && (err != nil || !maps.Equal(got, test.want)):
			t.Errorf("parsePorts(%q) = %v, %v, want %v", test.texts, got, err, test.want)
		case test.err != "" && (err == nil || !flags.IsMisuse(err) || !strings.Contains(err.Error(), test.err)):
			t.Errorf("parsePorts(%q) = %v, want the misuse %q", test.texts, err, test.err)
		}
	}
}

// The gateway of the demo opens everything that its user could open, so only this machine may reach
// it.
func TestListen(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	isGiven := cli.Given{"listen": true}
	for _, test := range []struct {
		options Options
		want    string // a part of the error; "" for success
	}{
		{Options{Listen: "127.0.0.1:0", Given: isGiven}, ""},
		{Options{Listen: "localhost:0", Given: isGiven}, ""},
		{Options{Listen: taken.Addr().String()}, ""}, // the default, which another process uses
		{Options{Listen: taken.Addr().String(), Given: isGiven}, taken.Addr().String()},
		{Options{Listen: "0.0.0.0:0", Given: isGiven}, "must listen on this machine only"},
		{Options{Listen: ":0", Given: isGiven}, "must listen on this machine only"},
	} {
		l, err := test.options.listen()
		if err == nil {
			l.Close()
		}
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("listen at %q (given: %v): %v, want %q", test.options.Listen, test.options.Given["listen"], err, test.want)
		}
	}
}

// Help names every scheme with its usual port. A misuse ends the demo before it starts.
func TestHelp(t *testing.T) {
	ports := demo.UsualPorts()
	for _, scheme := range demo.Schemes() {
		if !strings.Contains(ports, scheme+" ") {
			t.Errorf("help does not list the scheme %s: %q", scheme, ports)
		}
	}
	clitest.Table(t, Verb(), []clitest.Case{
		{Args: []string{"--port", "nope=1"}, Status: 2, Stderr: "--port must be SCHEME=PORT"},
		{Args: []string{"--listen", "0.0.0.0:0"}, Status: 2, Stderr: "hint: to open URLs for other machines, use locus serve --policy"},
		{Args: []string{"--faults", "loss=2"}, Status: 2, Stderr: `--faults: "loss=2": it must be a number from 0 to 1`},
		{Args: []string{"x"}, Status: 2, Stderr: "demo takes no arguments"},
	})
}

// The demo knows one urn. The hint for an unknown urn names it.
func TestNames(t *testing.T) {
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	names := d.Names()
	_, err = names.Do(t.Context(), &access.Request{URL: url.MustParse(strings.ToUpper(demo.Named))})
	if moved, ok := errors.AsType[*access.Moved](err); !ok || moved.To.String() != d.Locate() {
		t.Errorf("%s leads to %v, want %s", demo.Named, err, d.Locate())
	}
	_, err = names.Do(t.Context(), &access.Request{URL: url.MustParse("urn:isbn:1")})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(access.Hint(err), demo.Named) {
		t.Errorf("another urn = %v with the hint %q, want fs.ErrNotExist and a hint with %s", err, access.Hint(err), demo.Named)
	}
}
