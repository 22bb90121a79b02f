package accesstest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/url"
)

// A toy speaks a protocol made for this test: a line with the path goes there,
// a line with the size and then the octets come back; "-" says that there is
// nothing.
type toy struct {
	dial  accesstest.Dial
	fault string // what it does wrong; "" for nothing
}

func (e toy) Open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r, err := e.open(ctx, req)
	if err != nil {
		if e.fault == "Secret" {
			err = fmt.Errorf("open %s: %w", req.URL.String(), err)
		}
		return nil, &access.Error{Op: "open", URL: req.URL, Err: err}
	}
	return r, nil
}

func (e toy) open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.URL.Scheme() != "toy" || req.Offset > 0:
		return nil, errors.ErrUnsupported
	case e.dial == nil:
		return nil, errors.New("no dialler")
	case strings.Contains(req.URL.Path(), "%0A") && e.fault != "Hostile":
		return nil, errors.New("LF in the path")
	}
	conn, err := e.dial(ctx, "tcp", "h:1")
	if err != nil {
		return nil, err
	}
	body := &toyBody{fault: e.fault, ctx: ctx, conn: conn, stop: context.AfterFunc(ctx, func() { conn.Close() })}
	fmt.Fprintf(conn, "%s\n", req.URL.Path())
	body.r = bufio.NewReader(conn)
	line, err := body.r.ReadString('\n')
	size, sizeErr := strconv.ParseUint(strings.TrimSpace(line), 10, 31)
	if err != nil || sizeErr != nil {
		body.Close()
		if e.fault == "Missing" {
			return nil, errors.New("not there")
		}
		return nil, errors.Join(err, fs.ErrNotExist)
	}
	body.left = int(size)
	if e.fault == "SameOctetsTwice" {
		size++
	}
	return &access.Resource{URL: req.URL, Size: int64(size), Body: body}, nil
}

type toyBody struct {
	fault string
	ctx   context.Context
	conn  net.Conn
	stop  func() bool
	r     *bufio.Reader
	left  int

	closed atomic.Bool
}

func (b *toyBody) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil && b.fault != "CancelWhileReading" {
		return 0, err
	}
	if b.closed.Load() {
		return 0, net.ErrClosed
	}
	if b.left == 0 {
		return 0, io.EOF
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	switch {
	case b.ctx.Err() != nil:
		return n, b.ctx.Err()
	case errors.Is(err, io.EOF) && b.fault != "Truncated":
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}

func (b *toyBody) Close() error {
	b.stop()
	b.closed.Store(true)
	return b.conn.Close()
}

// answer is the server of the toy.
func answer(line string) (string, bool) {
	switch line {
	case "/object":
		return "5\nhello", false
	case "/truncated":
		return "50\nhello", false
	case "/stalled":
		return "50\nhello", true
	}
	return "-\n", false
}

func toyConfig(t *testing.T) accesstest.Config {
	return accesstest.Config{
		New:       func(dial accesstest.Dial) access.Opener { return toy{dial, os.Getenv(fault)} },
		Dial:      accesstest.ServeAll(t, accesstest.Script{accesstest.Converse(answer)}).Dial,
		Object:    url.MustParse("toy://h/object"),
		Content:   "hello",
		Missing:   url.MustParse("toy://h/missing"),
		Truncated: url.MustParse("toy://h/truncated"),
		Stalled:   url.MustParse("toy://h/stalled"),
		Hostile:   []url.URL{url.MustParse("toy://h/a%0Ab")},
		Secret:    url.MustParse("toy://u:sesame@h/missing"),
		NoOffset:  true,
	}
}

func TestToy(t *testing.T) { accesstest.Test(t, toyConfig(t)) }

// fault is the variable by which TestFaults tells TestToy what to do wrong.
const fault = "LOCUS_ACCESSTEST_FAULT"

// Each part of the suite fails an engine that breaks its promise.
func TestFaults(t *testing.T) {
	for _, part := range []string{"SameOctetsTwice", "CancelWhileReading", "Missing", "Truncated", "Hostile", "Secret"} {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestToy$")
		c.Env = append(os.Environ(), fault+"="+part)
		output, err := c.CombinedOutput()
		if err == nil || !strings.Contains(string(output), "--- FAIL: TestToy/"+part) {
			t.Errorf("a fault that %s should find gives %v, %s", part, err, output)
		}
	}
}

func FuzzToy(f *testing.F) {
	engine := func(dial accesstest.Dial) access.Opener { return toy{dial: dial} }
	accesstest.Fuzz(f, engine, url.MustParse("toy://h/object"), [2]string{"5\nhello"}, [2]string{"9\nhello"}, [2]string{"-\n"})
}

func TestServe(t *testing.T) {
	transcript := `{"dir":"s2c","hex":"3e"} {"dir":"c2s","hex":"6162"} {"dir":"s2c","chan":"data","hex":"41"} {"dir":"s2c","hex":"2e"}`
	s := accesstest.Serve(t, accesstest.Transcript(t, []byte(transcript))...)
	main, err := s.Dial(t.Context(), "tcp", "h:1")
	if err != nil {
		t.Fatal(err)
	}
	data, err := s.Dial(t.Context(), "tcp", "h:2")
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(main, "ab")
	got, err := io.ReadAll(io.MultiReader(main, data))
	if string(got) != ">.A" || err != nil {
		t.Errorf("the server said %q, %v, want %q", got, err, ">.A")
	}
	if s.Wait(); s.Received(0) != "ab" || s.Received(1) != "" {
		t.Errorf("Received = %q, %q, want %q, %q", s.Received(0), s.Received(1), "ab", "")
	}
	if got := s.Dialed(); len(got) != 2 || got[0] != "h:1" || got[1] != "h:2" {
		t.Errorf("Dialed() = %q, want h:1, h:2", got)
	}
}
