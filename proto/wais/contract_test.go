package wais_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto/wais"
	"locus/url"
)

// span returns the range that a retrieval requests.
func span(request string) (start, end int) {
	number := func(after string) int {
		_, rest, _ := strings.Cut(request, after+" ig ig ig ig-")
		n, _ := strconv.Atoi(rest[1 : 1+int(rest[0])])
		return n
	}
	return number("wb ro"), number("wb rl")
}

// library is a server whose documents are named by their document-ids.
func library(request string) string {
	const content = "hello, world"
	if !strings.Contains(request, "un re") {
		one := group(150, group(116, "\x01\x01o")+group(123, "One"))
		return response(one + group(200, "unknown") + group(151, group(116, "\x01\x01p")+group(123, "Two")))
	}
	start, end := span(request)
	docID := strings.SplitN(request, "un re ig ig ig ig-", 2)[1][1:]
	switch {
	case strings.HasPrefix(docID, "object") && start > len(content):
		return response(diagnostic("SF", outOfRange))
	case strings.HasPrefix(docID, "object") && end > len(content):
		return response(text(content[start:]) + diagnostic("SF", outOfRange))
	case strings.HasPrefix(docID, "object"):
		return response(text(content[start:end]))
	case strings.HasPrefix(docID, "truncated") && start == 0:
		return response(text("hello"))
	case strings.HasPrefix(docID, "truncated"):
		return response(text("hello"))[:40]
	}
	return response(diagnostic("SF", "Missing DocID in request"))
}

// The client fulfills the contract. It does not dial for a URL whose bytes would end a name in
// a request.
// req: 1738-6-2
func TestSuite(t *testing.T) {
	served := accesstest.ServeAll(t, answering(library))
	stalls := accesstest.ServeAll(t, accesstest.Script{
		accesstest.Send(response(text("hello"))), accesstest.Stall(),
	})
	accesstest.Test(t, accesstest.Config{
		Ops: []access.Op{access.Stat},
		New: client,
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if address == "stalls:210" {
				return stalls.Dial(ctx, network, address)
			}
			return served.Dial(ctx, network, address)
		},
		Object:    url.MustParse("wais://h/db/TEXT/object"),
		Content:   "hello, world",
		Missing:   url.MustParse("wais://h/db/TEXT/missing"),
		Listing:   url.MustParse("wais://h/db?words"),
		Titles:    []string{"One", "Two"},
		Truncated: url.MustParse("wais://h/db/TEXT/truncated"),
		Stalled:   url.MustParse("wais://stalls/db/TEXT/stalled"),
		Hostile: []url.URL{
			url.MustParse("wais://h/db%0D%0A/TEXT/x"),
			url.MustParse("wais://h/db%00?x"),
			url.MustParse("wais://h/db%1Fother?x"),
			url.MustParse("wais://h/db%1Eother/TEXT/x"),
			url.MustParse("wais://h/db/TEXT/" + strings.Repeat("x", 1<<17)),
			url.MustParse("wais://h/db/TEXT"),
			url.MustParse("wais://h/db/TEXT/"),
		},
		Secret: url.MustParse("wais://u:sesame@h/db"),
	})
}

// Invalid replies are errors.
func TestHostileAnswers(t *testing.T) {
	wide := pack("\xff\xff\x17" + strings.Repeat("\x00", 10))
	for _, test := range []struct {
		name, answer string
		want         error
	}{
		{"nothing", "", io.ErrUnexpectedEOF},
		{"half a header", "0000000", io.ErrUnexpectedEOF},
		{"half a body", response(text("hello"))[:40], io.ErrUnexpectedEOF},
		{"9.9 GB", "9999999999z2wais        0x", access.ErrTooLong},
		{"more than accepted", "0001048577z2wais        0", access.ErrTooLong},
		{"a length that is none", "00000000+1z2wais        0x", access.ErrProtocol},
		{"another type", "0000000001a2wais        0x", access.ErrProtocol},
		{"compression", "0000000001z2wais      u 0x", access.ErrProtocol},
		{"an empty message", pack(""), access.ErrProtocol},
		{"one byte", pack("\x00"), access.ErrProtocol},
		{"a header beyond the message", wide, access.ErrProtocol},
		{"a short fixed part", pack("\x00\x05\x17\x00\x00\x00\x00"), access.ErrProtocol},
		{"another APDU", pack("\x00\x0b\x15" + strings.Repeat("\x00", 10)), access.ErrProtocol},
		{"a tag alone", pack("\x00\x0c\x17" + strings.Repeat("\x00", 10) + "\x02"), access.ErrProtocol},
		{"a length beyond the group", response("\x81\x19\x05abc"), access.ErrProtocol},
		{"a length beyond the inner group", response(group(153, "\x7f\x05abc") + "padding"), access.ErrProtocol},
		{"a length of five bytes", response("\x81\x19\x8f\xff\xff\xff\x7f"), access.ErrProtocol},
		{"a diagnostic without an end", response("\x1c\x00\x05SFab\x00\x00"), access.ErrProtocol},
		{"a diagnostic too short", response("\x1c\x00\x02SF\x1d"), access.ErrProtocol},
		{"a diagnostic beyond the group", response("\x1c\xff\xffSFab\x00\x1d"), access.ErrProtocol},
		{"two texts", response(text("a") + text("b")), access.ErrProtocol},
		{"no text and no reason", response(group(99, "")), access.ErrProtocol},
		{"no user information", pack("\x00\x0b\x17" + strings.Repeat("\x00", 10)), access.ErrProtocol},
		{"more than was asked for", response(text(strings.Repeat("x", 96_001))), access.ErrProtocol},
		{"nothing at 0", response(diagnostic("SF", outOfRange)), access.ErrRange},
		{"not authorised", response(diagnostic("SH", "no")), fs.ErrPermission},
		{"deleted", response(diagnostic("ST", "gone")), fs.ErrNotExist},
		{"an empty text", response(text("")), nil},
		{"an empty text and its end", response(text("") + diagnostic("SF", outOfRange)), nil},
		{"unknown tags", response(group(300, "x") + text("hello") + diagnostic("SF", outOfRange) + group(98, "")), nil},
		{"padded numbers", response("\x80\x81\x19\x80\x07\x80\x7f\x80\x80\x02hi" + diagnostic("SF", outOfRange)), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := accesstest.ServeAll(t, answering(func(string) string { return test.answer }))
			err := fetch(t.Context(), client(server.Dial), "wais://h/db/TEXT/x")
			if !errors.Is(err, test.want) || err != nil && !strings.HasPrefix(err.Error(), "open wais://h/db/TEXT/x: ") {
				t.Errorf("answered %q the client says %v, want %v", test.answer[:min(80, len(test.answer))], err, test.want)
			}
		})
	}
}

func fetch(ctx context.Context, o access.Engine, text string) error {
	r, err := o.Do(ctx, &access.Request{URL: url.MustParse(text)})
	if err != nil {
		return err
	}
	defer r.Body.Close()
	_, err = io.Copy(io.Discard, r.Body)
	return err
}

// A message takes as much memory as has arrived, whatever length its header claims.
func TestClaimsCostNothing(t *testing.T) {
	for _, claim := range []string{"9999999999", "0001048576"} {
		answer := claim + "z2wais        0short"
		server := accesstest.ServeAll(t, accesstest.Script{accesstest.Send(answer)})
		o := client(server.Dial)
		var before, after runtime.MemStats
		const times = 50
		runtime.ReadMemStats(&before)
		for range times {
			if err := fetch(t.Context(), o, "wais://h/db/TEXT/x"); err == nil {
				t.Fatalf("%q: a message that breaks off is no error", claim)
			}
		}
		runtime.ReadMemStats(&after)
		if each := (after.TotalAlloc - before.TotalAlloc) / times; each > 32<<10 {
			t.Errorf("a claim of %s bytes costs %d bytes, want less than 32 KiB", claim, each)
		}
	}
}

// The client reconnects once if the server has closed the connection between two requests, but
// not if the connection was new.
func TestReconnects(t *testing.T) {
	const content = "abcdefghij"
	one := func(c *accesstest.Conn) error {
		request, err := read(c)
		if err != nil {
			return err
		}
		start, end := span(request)
		answer := text(content[min(start, 10):min(end, 10)])
		if end > len(content) {
			answer += diagnostic("SF", outOfRange)
		}
		_, err = io.WriteString(c, response(answer))
		return err
	}
	patient := accesstest.ServeAll(t, accesstest.Script{one})
	o := wais.Client{Dial: patient.Dial, Chunk: 3}
	if got := get(t, o, &access.Request{URL: url.MustParse("wais://h/db/TEXT/x")}); got != content {
		t.Errorf("over connections for one request each comes %q, want %q", got, content)
	}
	if n := len(patient.Dialed()); n != 4 {
		t.Errorf("%d connections, want 4", n)
	}
	dies := accesstest.Serve(t, accesstest.Script{one}, accesstest.Script{})
	err := fetch(t.Context(), wais.Client{Dial: dies.Dial, Chunk: 3}, "wais://h/db/TEXT/x")
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a server that does not come back gives %v, want an early end", err)
	}
	fresh := accesstest.Serve(t, accesstest.Script{}, accesstest.Script{}) // the second one is asked for the database
	if err := fetch(t.Context(), client(fresh.Dial), "wais://h/db/TEXT/x"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a server that closes at once gives %v, want an early end", err)
	}
}

// A request is never sent before the reply to the last one was read. The server finds no
// further bytes when the client waits for a reply.
func TestNeverPipelines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		dial := func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go func() {
				defer server.Close()
				for {
					request, err := read(server)
					if err != nil {
						return
					}
					requests++
					_ = server.SetReadDeadline(time.Now().Add(time.Minute))
					if n, err := server.Read(make([]byte, 1)); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
						t.Errorf("after request %d there is more, %v", requests, err)
						return
					}
					_ = server.SetReadDeadline(time.Time{})
					if _, err := io.WriteString(server, library(request)); err != nil {
						return
					}
				}
			}()
			return client, nil
		}
		o := wais.Client{Dial: dial, Chunk: 3, Idle: time.Hour}
		if got := get(t, o, &access.Request{URL: url.MustParse("wais://h/db/TEXT/object")}); got != "hello, world" || requests != 5 {
			t.Errorf("%q, in %d requests, want 5", got, requests)
		}
	})
}

// After an Init, no chunk is larger than the agreed message size.
func TestInit(t *testing.T) {
	size := 0
	server := accesstest.ServeAll(t, answering(func(request string) string {
		if request[27] == 20 {
			return pack("\x00\x09\x15\x01" + element(6, "\x02\x58") + element(2, "x"))
		}
		start, end := span(request)
		size = max(size, end-start)
		return library(request)
	}))
	o := wais.Client{Dial: server.Dial, Init: true}
	if got := get(t, o, &access.Request{URL: url.MustParse("wais://h/db/TEXT/object")}); got != "hello, world" || size != 600-6-200 {
		t.Errorf("with messages of 600 bytes the document is %q, and the largest chunk has %d bytes", got, size)
	}
	rejects := accesstest.ServeAll(t, answering(func(string) string { return pack("\x00\x02\x15\x00") }))
	if err := fetch(t.Context(), wais.Client{Dial: rejects.Dial, Init: true}, "wais://h/db/TEXT/x"); err == nil || !strings.Contains(err.Error(), "rejects the Init") {
		t.Errorf("an Init that is rejected gives %v", err)
	}
}

// If a server cannot send as many bytes as requested, the client requests fewer. If the server
// sends even fewer, the client requests the rest.
func TestSmallChunks(t *testing.T) {
	content := strings.Repeat("0123456789", 2500)
	var asked []int
	server := accesstest.ServeAll(t, answering(func(request string) string {
		start, end := span(request)
		asked = append(asked, end-start)
		if end-start > 20_000 {
			return pack("")
		}
		return response(text(content[min(start, len(content)):min(start+7000, end, len(content))]))
	}))
	got := get(t, client(server.Dial), &access.Request{URL: url.MustParse("wais://h/db/TEXT/x")})
	if got != content || fmt.Sprint(asked) != "[96000 10000 7000 7000 7000 7000]" {
		t.Errorf("%d bytes, in requests for %v, want %d", len(got), asked, len(content))
	}
}

// If a server ignores the requested ranges, the client gives up.
func TestEndlessChunks(t *testing.T) {
	for _, chunks := range []string{"321", "54321", "3331"} {
		n := 0
		server := accesstest.ServeAll(t, answering(func(string) string {
			size := chunks[min(n, len(chunks)-1)] - '0'
			n++
			return response(text(strings.Repeat("x", int(size))))
		}))
		err := fetch(t.Context(), client(server.Dial), "wais://h/db/TEXT/x")
		if !errors.Is(err, access.ErrProtocol) || n > len(chunks)+2 {
			t.Errorf("chunks of %s bytes: %v after %d requests, want access.ErrProtocol", chunks, err, n)
		}
	}
}

// Only Request.Length bytes are requested.
func TestLength(t *testing.T) {
	server := accesstest.ServeAll(t, answering(library))
	req := &access.Request{URL: url.MustParse("wais://h/db/TEXT/object"), Offset: 7, Length: 3}
	if got := get(t, client(server.Dial), req); got != "wor" {
		t.Errorf("3 bytes at offset 7 are %q, want wor", got)
	}
	req = &access.Request{URL: url.MustParse("wais://h/db/GIF,TEXT/object"), Offset: 12}
	if got := get(t, client(server.Dial), req); got != "" {
		t.Errorf("at the end there is %q, want an empty text", got)
	}
	if !strings.Contains(server.Received(1), "wt re ig ig ig ig-\x03GIF.") {
		t.Error("of two types, the first is not the one requested")
	}
}

func FuzzDecodeDocument(f *testing.F) {
	accesstest.Fuzz(f, client, url.MustParse("wais://h/db/WSRC/x"),
		[2]string{response(text("(:source :version 3)") + diagnostic("SF", outOfRange))},
		[2]string{response(text("hello")) + response(text("")), response(diagnostic("SF", outOfRange))},
		[2]string{"9999999999z2wais        0"},
		[2]string{pack("")},
	)
}

func FuzzDecodeDatabase(f *testing.F) {
	src := group(150, group(116, "\x01\x01o")+group(123, "db.src")+group(132, group(133, "WSRC")))
	accesstest.Fuzz(f, client, url.MustParse("wais://h/db"),
		[2]string{response(src) + response(text("(:source :description \"x\")")) + response(text("")), ""},
		[2]string{response("") + response(src) + response(text("(:source)")+diagnostic("SF", outOfRange)), ""},
		[2]string{response(src + diagnostic("S1", "syntax"))},
		[2]string{response(diagnostic("S1", "The following database is not available"))},
	)
}

// If a reply breaks off, the client reconnects and continues the document at the same byte. If
// the first reply on a connection breaks off, that is an error.
func TestResumesBrokenReply(t *testing.T) {
	const content = "abcdefghij"
	reply := func(request string) string {
		start, end := span(request)
		records := text(content[min(start, 10):min(end, 10)])
		if end > len(content) {
			records += diagnostic("SF", outOfRange)
		}
		return response(records)
	}
	breaks := func(after int) accesstest.Script { // breaks off the reply after so many replies
		n := 0
		return answering(func(request string) string {
			n++
			if n > after {
				return reply(request)[:40]
			}
			return reply(request)
		})
	}
	server := accesstest.Serve(t, breaks(1), breaks(2), breaks(9))
	o := wais.Client{Dial: server.Dial, Chunk: 3}
	if got := get(t, o, &access.Request{URL: url.MustParse("wais://h/db/TEXT/x")}); got != content {
		t.Errorf("over connections that break comes %q, want %q", got, content)
	}
	server = accesstest.Serve(t, breaks(1), breaks(0))
	if err := fetch(t.Context(), wais.Client{Dial: server.Dial, Chunk: 3}, "wais://h/db/TEXT/x"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a server that breaks twice in a row gives %v, want an early end", err)
	}
}
