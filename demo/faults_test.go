package demo

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"locus/access"
	"locus/proto/gopher"
	"locus/proto/prospero"
	"locus/proto/wais"
	"locus/url"
)

func TestParseFaults(t *testing.T) {
	for _, test := range []struct {
		text string
		want Faults
		err  string
	}{
		{"", Faults{}, ""},
		{"loss=0.2,reorder=1,slow=200ms,swap-id,cut=3000000", Faults{0.2, 1, 200 * time.Millisecond, true, 3_000_000}, ""},
		{"loss=0", Faults{}, ""},
		{"loss=1.1", Faults{}, `"loss=1.1": it must be a number from 0 to 1`},
		{"loss=-1", Faults{}, "from 0 to 1"},
		{"reorder=NaN", Faults{}, "from 0 to 1"},
		{"loss", Faults{}, "from 0 to 1"},
		{"slow=5", Faults{}, `"slow=5": it must be a duration`},
		{"slow=-1s", Faults{}, "must be a duration"},
		{"swap-id=1", Faults{}, "swap-id has no value"},
		{"cut=0", Faults{}, "must be a number of bytes"},
		{"cut=1M", Faults{}, "must be a number of bytes"},
		{"loss=0.1,", Faults{}, `"": it must be loss, reorder, slow, swap-id or cut`},
		{"lose=1", Faults{}, "must be loss, reorder"},
	} {
		got, err := ParseFaults(test.text)
		if test.err == "" && (err != nil || got != test.want) {
			t.Errorf("ParseFaults(%q) = %+v, %v, want %+v", test.text, got, err, test.want)
		}
		if test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("ParseFaults(%q) = %v, want the error %q", test.text, err, test.err)
		}
	}
}

var dialer net.Dialer

// read reads a resource of a demo.
func read(ctx context.Context, e access.Engine, text string) ([]byte, error) {
	r, err := e.Do(ctx, &access.Request{URL: url.MustParse(text)})
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	return io.ReadAll(r.Body)
}

// Objects arrive whole over Prospero although datagrams are lost and reordered.
func TestFaultsOfDatagrams(t *testing.T) {
	large := bytes.Repeat([]byte("0123456789abcdef"), 2000)
	files := fstest.MapFS{"large.bin": {Data: large}}
	client := prospero.Client{Dial: dialer.DialContext}
	for _, f := range []Faults{
		{},
		{Loss: 0.2, Reorder: 0.2},
		{Loss: 0.2, SwapID: true},
		{Slow: 2 * time.Millisecond},
	} {
		d := start(t, Config{Files: files, Faults: f})
		began := time.Now()
		got, err := read(t.Context(), client, "prospero://"+d.Service("prospero").Addr+"//large.bin")
		if err != nil || !bytes.Equal(got, large) {
			t.Errorf("%+v: %d bytes, %v, want %d", f, len(got), err, len(large))
		}
		if least := f.Slow * time.Duration(len(large)/1250); time.Since(began) < least {
			t.Errorf("%+v: it took %v, want at least %v", f, time.Since(began), least)
		}
	}
}

// A server that loses every datagram never replies.
func TestEverythingLost(t *testing.T) {
	d := start(t, Config{Faults: Faults{Loss: 1}})
	client := prospero.Client{Dial: dialer.DialContext, Idle: 300 * time.Millisecond}
	if _, err := read(t.Context(), client, "prospero://"+d.Service("prospero").Addr+"//etc/motd"); err == nil {
		t.Error("there is an answer")
	}
}

// A connection that is cut is an early end, and a shorter text is not.
func TestCut(t *testing.T) {
	files := fstest.MapFS{"large.bin": {Data: make([]byte, 50_000)}, "small.txt": {Data: []byte("small\n")}}
	d := start(t, Config{Files: files, Faults: Faults{Cut: 10_000}})
	addr := d.Service("gopher").Addr
	if got := ask(t, addr, "/large.bin\r\n"); len(got) != 10_000 {
		t.Errorf("%d bytes arrive, want 10000", len(got))
	}
	if got := ask(t, addr, "/small.txt\r\n"); got != "small\r\n.\r\n" {
		t.Errorf("the text is %q", got)
	}
	_, err := read(t.Context(), gopher.Client{Dial: dialer.DialContext}, "gopher://"+addr+"/9/large.bin%09%09+")
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the error is %v, want an early end", err)
	}
}

// Slow is a pause before each piece.
func TestSlow(t *testing.T) {
	d := start(t, Config{Faults: Faults{Slow: 100 * time.Millisecond}})
	began := time.Now()
	got, err := read(t.Context(), wais.Client{Dial: dialer.DialContext}, d.Service("wais").URL+"library?rfc")
	if err != nil || len(got) == 0 || time.Since(began) < 100*time.Millisecond {
		t.Errorf("%d bytes after %v, %v, want some after 100ms", len(got), time.Since(began), err)
	}
}

// The end of the demo does not wait for the pause of a slow server.
func TestSlowServerEnds(t *testing.T) {
	arrived := make(chan string, 1)
	d, err := Start(t.Context(), Config{Listen: net.Listen, Faults: Faults{Slow: time.Hour}, Log: func(scheme, _ string) { arrived <- scheme }})
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", d.Service("finger").Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "\r\n"); err != nil {
		t.Fatal(err)
	}
	<-arrived // the server is about to answer
	if err := d.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	if got, _ := io.ReadAll(c); strings.Contains(string(got), "gopherplus") {
		t.Errorf("the server sends %q before the end of its pause", got)
	}
}
