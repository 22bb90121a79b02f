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
	for _, tt := range []struct {
		texts []string
		want  map[string]uint16
		err   string
	}{
		{nil, map[string]uint16{}, ""},
		{[]string{"http=8080", "ftp=0", "http=81"}, map[string]uint16{"http": 81, "ftp": 0}, ""},
		{[]string{"http"}, nil, "--port wants SCHEME=PORT"},
		{[]string{"nope=1"}, nil, `not "nope=1"`},
		{[]string{"http=65536"}, nil, "--port wants a number from 0 to 65535"},
		{[]string{"http=-1"}, nil, `not "-1"`},
		{[]string{"http="}, nil, `not ""`},
	} {
		got, err := parsePorts(tt.texts)
		switch {
		case tt.err == "" && (err != nil || !maps.Equal(got, tt.want)):
			t.Errorf("parsePorts(%q) = %v, %v, want %v", tt.texts, got, err, tt.want)
		case tt.err != "" && (err == nil || !flags.IsMisuse(err) || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("parsePorts(%q) = %v, want the misuse %q", tt.texts, err, tt.err)
		}
	}
}

// The gateway of the demo opens whatever its user could, so nobody else reaches it.
func TestListen(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	isGiven := cli.Given{"listen": true}
	for _, tt := range []struct {
		options Options
		want    string // a part of the error; "": none
	}{
		{Options{Listen: "127.0.0.1:0", Given: isGiven}, ""},
		{Options{Listen: "localhost:0", Given: isGiven}, ""},
		{Options{Listen: taken.Addr().String()}, ""}, // the default, which is taken: another port
		{Options{Listen: taken.Addr().String(), Given: isGiven}, taken.Addr().String()},
		{Options{Listen: "0.0.0.0:0", Given: isGiven}, "for this machine alone"},
		{Options{Listen: ":0", Given: isGiven}, "for this machine alone"},
	} {
		l, err := tt.options.listen()
		if err == nil {
			l.Close()
		}
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("listen at %q (given: %v): %v, want %q", tt.options.Listen, tt.options.Given["listen"], err, tt.want)
		}
	}
}

// Help names every scheme with its usual port. Misuse ends the demo before it starts.
func TestHelp(t *testing.T) {
	ports := demo.UsualPorts()
	for _, scheme := range demo.Schemes() {
		if !strings.Contains(ports, scheme+" ") {
			t.Errorf("%s is not in %q", scheme, ports)
		}
	}
	clitest.Table(t, Verb(), []clitest.Case{
		{Args: []string{"--port", "nope=1"}, Status: 2, Stderr: "--port wants SCHEME=PORT"},
		{Args: []string{"--listen", "0.0.0.0:0"}, Status: 2, Stderr: "hint: locus serve --policy says"},
		{Args: []string{"--faults", "loss=2"}, Status: 2, Stderr: `--faults: "loss=2": want a number from 0 to 1`},
		{Args: []string{"x"}, Status: 2, Stderr: "demo takes no arguments"},
	})
}

// The demo knows one urn. The error for another says which.
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
		t.Errorf("another urn: %v with the hint %q, want that it does not exist, and %s", err, access.Hint(err), demo.Named)
	}
}
