package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// The address of --admin serves metrics and a health check, and the gateway's address does not.
func TestServeAdmin(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "max-age=100")
		io.WriteString(w, "thirteen byte")
	}))
	defer origin.Close()
	s := startServe(t, "--cache-dir", t.TempDir(), "--admin", "0", "--log", "json")
	for range 2 {
		ask(t, nil, s.at+"/"+origin.URL+"/", nil)
	}
	if status, body := ask(t, nil, s.admin+"/healthz", nil); status != 200 || body != "ok\n" {
		t.Errorf("/healthz: %d, %q", status, body)
	}
	// A response is counted after all of it was sent, so its client may see the end before the
	// counter changes.
	_, body := ask(t, nil, s.admin+"/metrics", nil)
	for begin := time.Now(); !strings.Contains(body, `locus_request_seconds_bucket{way="gateway",le="+Inf"} 2`) && time.Since(begin) < time.Minute; {
		_, body = ask(t, nil, s.admin+"/metrics", nil)
	}
	for _, want := range []string{
		`locus_requests_total{way="gateway",status="200"} 2`, `locus_sent_bytes_total{way="gateway"} 26`,
		`locus_request_seconds_bucket{way="gateway",le="+Inf"} 2`, `locus_request_seconds_count{way="gateway"} 2`,
		"locus_cache_hits_total 1", "locus_cache_misses_total 1", "process_resident_memory_bytes ",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("/metrics does not contain %q", want)
		}
	}
	if status, _ := ask(t, nil, s.at+"/metrics", nil); status == 200 {
		t.Error("the gateway's own address serves /metrics")
	}
	s.stop()
	if log := s.printed(); !strings.Contains(log, `"target":"`+origin.URL+`/","status":200,"bytes":13`) {
		t.Errorf("the log is\n%s", log)
	}
}

// A page of another site that makes its name resolve to the admin's address (DNS rebinding) cannot
// read there. A monitor asks by the address, by a name of --name, or, like HTTP/1.0, without a
// host.
func TestServeAdminHost(t *testing.T) {
	// attack: A page lets its own name resolve to the gateway or to its metrics (DNS rebinding by Host)
	s := startServe(t, "--no-cache", "--admin", "0", "--name", "gate.example")
	at := strings.TrimPrefix(s.admin, "http://")
	_, port, _ := strings.Cut(at, ":")
	for _, test := range []struct {
		host string
		want int
	}{
		{"Host: " + at, 200},
		{"Host: localhost:" + port, 200},
		{"Host: gate.example", 200},
		{"", 200},
		{"Host: evil.example", 421},
		{"Host: evil.example:" + port, 421},
		{"Host: localhost.evil.example", 421},
	} {
		for _, path := range []string{"/metrics", "/healthz", "/"} {
			want := test.want
			if path == "/" && want == 200 {
				want = 404
			}
			status, body := say(t, at, "GET "+path+" HTTP/1.0\n"+test.host)
			if status != want || status == 421 && strings.Contains(body, "locus_") {
				t.Errorf("%s with %q: %d, %.40q, want %d", path, test.host, status, body, want)
			}
		}
	}
}

// say sends the lines of a request, and returns the status and the body.
func say(t *testing.T, at, request string) (int, string) {
	t.Helper()
	conn, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, strings.ReplaceAll(strings.TrimSpace(request), "\n", "\r\n")+"\r\n\r\n")
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("the request %q gets no answer: %v", request, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Errorf("the answer to %q is cut: %v", request, err)
	}
	return answer.StatusCode, string(body)
}

// The log does not contain a password, from any part of the request.
func TestServeLog(t *testing.T) {
	s := startServe(t, "--no-cache")
	for _, target := range []string{"/ftp://u:hunter2@127.0.0.1:1/", "/-/open?url=ftp://u:hunter2@127.0.0.1:1/", "/-/about?url=ftp%3A//u:hunter2@127.0.0.1:1/", "/ftp://u:hunter2@[/"} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.at, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", target)
		io.Copy(io.Discard, conn)
		conn.Close()
	}
	s.stop()
	if log := s.printed(); strings.Contains(log, "hunter2") || strings.Count(log, "answered") != 4 {
		t.Errorf("the log is\n%s", log)
	}
}
