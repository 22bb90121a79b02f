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
	"time"

	"locus/access"
	"locus/access/accesstest"
	"locus/access/engine"
	"locus/proto"
	"locus/url"
)

// A toy is an Engine for a protocol of this test. The client sends a line with the path.
// The server sends a line with the size, then the bytes; or "-" if the path does not exist.
type toy struct {
	dial  proto.Dial
	fault string // the part of the suite that finds its fault; "" if it has none
	shelf *shelf // the stored resource
	busy  *atomic.Int32
}

// A shelf stores the one resource that can be changed.
type shelf struct {
	content string
	has     bool
}

func newToy(dial proto.Dial, fault string) toy {
	return toy{dial, fault, new(shelf), new(atomic.Int32)}
}

func (e toy) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if e.fault == "CancelBeforeOpen" {
		ctx = context.WithoutCancel(ctx)
	}
	r, err := e.do(ctx, req)
	if err != nil {
		if e.fault == "Secret" {
			err = fmt.Errorf("open %s: %w", req.URL.String(), err)
		}
		return nil, &access.Error{Op: req.Op.String(), URL: req.URL, Err: err}
	}
	return r, nil
}

// do returns errors without the Op and the URL.
func (e toy) do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.Op == access.Get && req.Answers == nil, e.fault == "Unsupported":
		return e.open(ctx, req)
	case req.Op == access.Stat:
		return engine.Found(e.stat(ctx, req))
	case req.Op == access.Put:
		return engine.Done(req.URL, e.put(req))
	case req.Op == access.Append:
		return engine.Done(req.URL, e.add(req))
	case req.Op == access.Delete:
		return engine.Done(req.URL, e.remove(req))
	}
	return nil, errors.ErrUnsupported
}

func (e toy) open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	text := func(content string) (*access.Resource, error) {
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: io.NopCloser(strings.NewReader(content))}, nil
	}
	switch {
	case req.URL.Scheme() != "toy" && e.fault == "OtherScheme":
		return text("anything")
	case e.dial == nil && e.fault == "NoDial":
		return text("hello")
	case req.Offset > 0 && e.fault == "Offset", req.Offset > 5 && e.fault == "OffsetPastEnd":
		r, err := text("hello")
		r.Offset = req.Offset
		return r, err
	case req.URL.Scheme() != "toy" || req.Offset > 0:
		return nil, errors.ErrUnsupported
	case e.dial == nil:
		return nil, errors.New("no dialler")
	case strings.Contains(req.URL.Path(), "%0A") && e.fault != "Hostile":
		return nil, errors.New("LF in the path")
	case req.URL.Path() == "/changing" && e.shelf.has:
		return text(e.shelf.content)
	case req.URL.Path() == "/listing":
		list := &toyListing{ctx: ctx, titles: []string{"one", "two"}, fault: e.fault}
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: list, List: list}, nil
	case e.fault == "AtOnce" && e.busy.Add(1) > 1:
		return nil, errors.New("one at a time")
	}
	conn, err := e.dial(ctx, "tcp", "h:1")
	if err != nil {
		return nil, err
	}
	if e.fault == "CancelStalled" {
		ctx = context.WithoutCancel(ctx)
	}
	body := &toyBody{fault: e.fault, ctx: ctx, conn: conn}
	body.stop = context.AfterFunc(ctx, func() { conn.Close() })
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
	if e.fault == "SameBytesTwice" {
		size++
	}
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: int64(size)}, Body: body}, nil
}

// stat opens the resource for its size.
func (e toy) stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	r, err := e.open(ctx, req)
	if err != nil {
		return access.Entry{}, err
	}
	if e.fault == "Stat" {
		r.Size++
	}
	return access.Entry{URL: r.URL, Size: r.Size}, r.Body.Close()
}

// check refuses to change any other URL than the one that can be changed.
func (e toy) check(req *access.Request) error {
	if req.URL.Path() != "/changing" && e.fault != "HostileChanges" {
		return errors.New("nothing else can be changed")
	}
	return nil
}

func (e toy) put(req *access.Request) error {
	if err := e.check(req); err != nil {
		return err
	}
	content, err := io.ReadAll(engine.Content(req))
	if err != nil && e.fault != "PutBroken" {
		return err
	}
	*e.shelf = shelf{string(content), true}
	if e.fault == "Put" {
		e.shelf.content += "!"
	}
	return err
}

func (e toy) add(req *access.Request) error {
	content, err := io.ReadAll(engine.Content(req))
	if e.fault != "Append" {
		e.shelf.content += string(content)
	}
	return err
}

func (e toy) remove(req *access.Request) error {
	if err := e.check(req); err != nil {
		return err
	}
	if !e.shelf.has {
		return fs.ErrNotExist
	}
	e.shelf.has = e.fault == "Delete"
	return nil
}

// A toyListing is a listing in memory.
type toyListing struct {
	ctx    context.Context
	titles []string
	fault  string
}

func (l *toyListing) Next() (access.Entry, error) {
	switch {
	case l.ctx.Err() != nil && l.fault != "CancelListing":
		return access.Entry{}, l.ctx.Err()
	case len(l.titles) == 0 || l.fault == "Listing":
		return access.Entry{}, io.EOF
	}
	e := access.Entry{Title: l.titles[0], Size: -1}
	l.titles = l.titles[1:]
	return e, nil
}

func (*toyListing) Read([]byte) (int, error) { return 0, io.EOF }
func (*toyListing) Close() error             { return nil }

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
	if b.fault == "CloseEarly" || b.fault == "CloseStalled" {
		return nil
	}
	b.stop()
	b.closed.Store(true)
	return b.conn.Close()
}

// answer is the server of a toy.
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
	var timeout time.Duration
	if os.Getenv(fault) != "" {
		timeout = 200 * time.Millisecond // is used up
	}
	return accesstest.Config{
		Timeout:   timeout,
		New:       func(dial proto.Dial) access.Engine { return newToy(dial, os.Getenv(fault)) },
		Ops:       []access.Op{access.Stat, access.Put, access.Append, access.Delete},
		Dial:      accesstest.ServeAll(t, accesstest.Script{accesstest.Converse(answer)}).Dial,
		Object:    url.MustParse("toy://h/object"),
		Content:   "hello",
		Missing:   url.MustParse("toy://h/missing"),
		Listing:   url.MustParse("toy://h/listing"),
		Titles:    []string{"one", "two"},
		Changing:  url.MustParse("toy://h/changing"),
		Truncated: url.MustParse("toy://h/truncated"),
		Stalled:   url.MustParse("toy://h/stalled"),
		Hostile:   []url.URL{url.MustParse("toy://h/a%0Ab")},
		Secret:    url.MustParse("toy://u:sesame@h/missing"),
		NoOffset:  true,
	}
}

func TestToy(t *testing.T) { accesstest.Test(t, toyConfig(t)) }

// fault is the environment variable with the fault that TestToy has.
const fault = "LOCUS_ACCESSTEST_FAULT"

// Each part of the suite fails an engine with its fault.
func TestFaults(t *testing.T) {
	for _, part := range []string{
		"SameBytesTwice", "AtOnce", "Unsupported", "OtherScheme", "NoDial", "CancelBeforeOpen", "CancelWhileReading", "CancelStalled", "CloseStalled",
		"CloseEarly", "Offset", "OffsetPastEnd", "Missing", "Listing", "CancelListing", "Stat", "Truncated", "Hostile", "Secret",
		"Put", "PutBroken", "Append", "Delete", "HostileChanges",
	} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestToy$/^"+part+"$")
			c.Env = append(os.Environ(), fault+"="+part)
			output, err := c.CombinedOutput()
			if err == nil || !strings.Contains(string(output), "--- FAIL: TestToy/"+part) {
				t.Errorf("a fault that %s should find gives %v, %s", part, err, output)
			}
		})
	}
}

func FuzzToy(f *testing.F) {
	engine := func(dial proto.Dial) access.Engine { return newToy(dial, "") }
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
