package guard_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"locus/access"
	"locus/guard"
	"locus/scheme"
	"locus/url"
)

// A reachedEngine is an Engine that returns errReached for every request.
type reachedEngine struct{}

var errReached = errors.New("reached")

func (reachedEngine) Do(context.Context, *access.Request) (*access.Resource, error) {
	return nil, errReached
}

// req: 1738-6-1
func TestPorts(t *testing.T) {
	// attack: A URL has the port of another protocol, or of a server that takes lines of text from everybody | the
	// port is refused unless the user allows it
	tests := []struct {
		url      string
		allow    []uint16
		protocol string // "" if the port is allowed
	}{
		{url: "ftp://h/x"},
		{url: "ftp://h:/x"},
		{url: "ftp://h:21/x"},
		{url: "ftp://h:990/x"}, // port of ftps
		{url: "ftp://h:2121/x"},
		{url: "FTP://h:21/x"},
		{url: "http://h:443/"},
		{url: "https://h:80/"},
		{url: "http://h:8080/"},
		{url: "https://h:8443/"},
		{url: "telnet://h:23/"},
		{url: "tn3270://h:23/"},
		{url: "rlogin://h:513/"},
		{url: "nntp://h:563/g"},
		{url: "nntp://h:119/g"},
		{url: "nntps://h:119/g"},
		{url: "news://h:119/g"}, // port of nntp, over which news is read (RFC 5538 §2.2)
		{url: "news://h:563/g"},
		{url: "snews://h:119/g"},
		{url: "ws://h:80/"},
		{url: "ws://h:443/"},
		{url: "z39.50://h:210/"},
		{url: "z39.50s://h:210/"},
		{url: "z39.50r://h:2100/db?x"},
		{url: "z39.50s://h:25/", protocol: "smtp"},
		{url: "wais://h:210/db"},
		{url: "prospero://h:1525/x"},
		{url: "gopher://h:70/"},
		{url: "gopher://h:7070/"},
		{url: "mailto:a@h"},
		{url: "news:comp.lang.c"},
		{url: "gopher://h:99999/"}, // not a port: the engine refuses it
		{url: "x-mine://h:4711/"},

		{url: "gopher://h:25/0HELO", protocol: "smtp"},
		{url: "gopher://h:0025/0HELO", protocol: "smtp"},
		{url: "gopher://h:6379/0FLUSHALL", protocol: "redis"},
		{url: "gopher://h:80/0GET%20/", protocol: "http"},
		{url: "gopher://h:79/0root", protocol: "finger"},
		{url: "ftp://h:22/", protocol: "ssh"},
		{url: "ftp://h:25/", protocol: "smtp"},
		{url: "ftp://u@h:25/", protocol: "smtp"},
		{url: "ftp://h:80/", protocol: "http"},
		{url: "http://h:21/", protocol: "ftp"},
		{url: "http://h:70/", protocol: "gopher"},
		{url: "http://h:110/", protocol: "pop3"},
		{url: "http://h:143/", protocol: "imap"},
		{url: "http://h:6667/", protocol: "irc"},
		{url: "http://h:6000/", protocol: "x11"},
		{url: "http://[::1]:515/", protocol: "printer"},
		{url: "telnet://h:25/", protocol: "smtp"},
		{url: "telnet://h:513/", protocol: "rlogin"},
		{url: "news://h:80/g", protocol: "http"},
		{url: "ws://h:119/", protocol: "nntp"},
		{url: "http://h:563/", protocol: "nntps"},
		{url: "x-mine://h:25/", protocol: "smtp"},

		{url: "telnet://h:25/", allow: []uint16{25}},
		{url: "telnet://h:25/", allow: []uint16{26, 25}},
		{url: "telnet://h:25/", allow: []uint16{26}, protocol: "smtp"},
	}
	for _, test := range tests {
		ports := guard.Ports{Engine: reachedEngine{}, Allow: test.allow}
		req := &access.Request{URL: url.MustParse(test.url)}
		for op, err := range allConnecting(ports, req) {
			if test.protocol == "" {
				if err != errReached {
					t.Errorf("%s %q allowing %v = %v, want the request executed", op, test.url, test.allow, err)
				}
				continue
			}
			refused, ok := errors.AsType[*guard.PortError](err)
			if !ok || refused.Protocol != test.protocol || !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s %q allowing %v = %v, want it refused for %s", op, test.url, test.allow, err, test.protocol)
				continue
			}
			if want := (access.AllowPort{Port: refused.Port}); access.RemedyFor(err) != want {
				t.Errorf("%s %q: RemedyFor = %v, want %v", op, test.url, access.RemedyFor(err), want)
			}
		}
	}
}

// The default port of every scheme has a known protocol, so it is refused in URLs of other schemes.
//
// req: 1738-6-1
func TestPortsOfSchemes(t *testing.T) {
	ports := guard.Ports{Engine: reachedEngine{}}
	for _, s := range scheme.All() {
		if s.Port == 0 {
			continue
		}
		own := url.MustParse(fmt.Sprintf("%s://h:%d/", s.Name, s.Port))
		if _, err := ports.Do(t.Context(), &access.Request{URL: own}); err != errReached {
			t.Errorf("Do(%q) = %v, want the request executed", own, err)
		}
		other := url.MustParse(fmt.Sprintf("x-other://h:%d/", s.Port))
		if _, err := ports.Do(t.Context(), &access.Request{URL: other}); err == errReached {
			t.Errorf("Do(%q) executes the request, want it refused", other)
		}
	}
}

// A file URL does not name a server, so its port is not refused.
func TestPortsOfFiles(t *testing.T) {
	u := url.MustParse("file://localhost:25/x")
	if _, err := (guard.Ports{Engine: reachedEngine{}}).Do(t.Context(), &access.Request{URL: u}); err != errReached {
		t.Errorf("Do(%q) = %v, want the request executed", u, err)
	}
}

// Ports refuses the ports that browsers refuse (WHATWG Fetch, "bad port").
//
// req: 1738-6-1
func TestPortsOfBrowsers(t *testing.T) {
	bad := []uint16{
		1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
		109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
		526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
		3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
	}
	ports := guard.Ports{Engine: reachedEngine{}}
	for _, port := range bad {
		u := url.MustParse(fmt.Sprintf("http://h:%d/", port))
		if _, err := ports.Do(t.Context(), &access.Request{URL: u}); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("Do(%q) = %v, want it refused", u, err)
		}
	}
}

// Ports refuses the ports of servers that accept lines of text from any client.
//
// req: 1738-6-1
func TestPortsOfLines(t *testing.T) {
	// attack: A URL has the port of another protocol, or of a server that takes lines of text from everybody
	ports := guard.Ports{Engine: reachedEngine{}}
	for _, port := range []uint16{
		2003, 2004, 2023, 2024, 2181, 2375, 2376, 2379, 2380, 2947, 4222, 4369, 4730, 5038, 5672, 6380, 6600,
		8125, 8126, 9042, 9092, 9200, 9300, 9418, 10050, 10051, 11300, 26379, 27018, 28015, 50000, 61613,
	} {
		for _, scheme := range []string{"gopher", "http", "telnet", "ftp", "nntp"} {
			u := url.MustParse(fmt.Sprintf("%s://h:%d/", scheme, port))
			if _, err := ports.Do(t.Context(), &access.Request{URL: u}); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("Do(%q) = %v, want it refused", u, err)
			}
		}
	}
	for _, port := range []uint16{1024, 1738, 2121, 3000, 3128, 5000, 7070, 8000, 8080, 8443, 8888, 9000, 10000, 49152, 65535} {
		u := url.MustParse(fmt.Sprintf("gopher://h:%d/", port))
		if _, err := ports.Do(t.Context(), &access.Request{URL: u}); err != errReached {
			t.Errorf("Do(%q) = %v, want the request executed", u, err)
		}
	}
}

// allConnecting executes req with every Op and as the answers of a form, and returns the errors by name.
func allConnecting(e access.Engine, req *access.Request) map[string]error {
	ctx := context.Background()
	ways := map[string]error{}
	for _, op := range access.Ops() {
		_, ways[op.String()] = e.Do(ctx, req.WithOp(op))
	}
	answers := req.WithOp(access.Get)
	answers.Answers = []access.Answer{}
	_, ways["answer"] = e.Do(ctx, answers)
	return ways
}

// req: 1738-6-3
func TestPortsHidesPassword(t *testing.T) {
	u := url.MustParse("ftp://me:hunter2@h:25/x")
	_, err := guard.Ports{Engine: reachedEngine{}}.Do(t.Context(), &access.Request{URL: u})
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("Do(%q) = %v, want an error without the password", u.Redacted(), err)
	}
}

func TestPortsKeepsUnsupported(t *testing.T) {
	plain := guard.Ports{Engine: access.GetFunc(reachedEngine{}.Do)}
	_, err := plain.Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse("ftp://h/")})
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Stat of an Engine without Stat = %v, want errors.ErrUnsupported", err)
	}
}

func ExamplePorts() {
	ports := guard.Ports{Engine: access.Table{}}
	_, err := ports.Do(context.Background(), &access.Request{URL: url.MustParse("gopher://mail.example:25/0HELO")})
	fmt.Println(err)
	fmt.Println(access.Hint(err))
	// Output:
	// open gopher://mail.example:25/0HELO: port 25 belongs to another protocol (smtp)
	// allow port 25 if you trust this URL
}

// Ports without an Engine refuses every request.
func TestPortsWithoutEngine(t *testing.T) {
	req := &access.Request{URL: url.MustParse("http://h/")}
	if _, err := (guard.Ports{}).Do(t.Context(), req); !errors.Is(err, access.ErrNoScheme) {
		t.Errorf("Do(%q) of the zero Ports = %v, want %v", req.URL, err, access.ErrNoScheme)
	}
	if _, err := (guard.Ports{}).Do(t.Context(), req.WithOp(access.Stat)); !errors.Is(err, access.ErrNoScheme) {
		t.Errorf("Do(%q) with Stat of the zero Ports = %v, want %v", req.URL, err, access.ErrNoScheme)
	}
}
