package nfs_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/internal/xdr"
	"locus/proto/nfs"
	"locus/url"
)

// raw returns a Client of a server that sends the result of answer for each call, unchanged.
// If answer returns nil, the server closes the connection.
func raw(t testing.TB, answer func(n int, xid []byte, call string) []byte) nfs.Client {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		for n := 0; ; {
			c, err := l.Accept()
			if err != nil {
				return
			}
			r := bufio.NewReader(c)
			for {
				record, err := xdr.ReadRecord(r, nil, 1<<20)
				if err != nil {
					break
				}
				proc := binary.BigEndian.Uint32(record[20:])
				reply := answer(n, record[:4], procNames[proc])
				n++
				if reply == nil {
					break
				}
				reply, last := bytes.CutSuffix(reply, []byte(hangUp))
				if _, err := c.Write(reply); err != nil || last {
					break
				}
			}
			c.Close()
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
	})
	return nfs.Client{Idle: 10 * time.Second, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, l.Addr().String())
	}}
}

// hangUp at the end of an answer closes the connection after it.
const hangUp = "hang up"

// accepted returns an accepted reply with results.
func accepted(xid []byte, results string) []byte {
	reply := append(make([]byte, 4), xid...)
	reply = append(reply, "\x00\x00\x00\x01"+strings.Repeat("\x00", 16)+results...)
	return xdr.Frame(reply)
}

const (
	one  = "\x00\x00\x00\x01"
	none = "\x00\x00\x00\x00"
)

// attr returns the fattr3 of a file with a type and a size.
func attr(kind byte, size string) string {
	return "\x00\x00\x00" + string(kind) + "\x00\x00\x01\xa4" + one + none + none + size + size + strings.Repeat("\x00", 16) +
		"\x00\x00\x00\x00\x00\x00\x00\x09" + strings.Repeat("\x00", 24)
}

const (
	fourBytes = "\x00\x00\x00\x00\x00\x00\x00\x04"
	negative  = "\xff\xff\xff\xff\xff\xff\xff\xff"
)

// found returns the results of a LOOKUP.
func found(attributes string) string {
	return none + "\x00\x00\x00\x04hand" + one + attributes + none
}

func TestHostileReplies(t *testing.T) {
	file := found(attr(1, fourBytes))
	for _, test := range []struct {
		name string
		url  string
		send func(n int, xid []byte, call string) []byte
		want error
	}{
		{"nothing", "nfs://h/f", func(int, []byte, string) []byte { return nil }, io.ErrUnexpectedEOF},
		{"half a header", "nfs://h/f", once("\x80\x00"), io.ErrUnexpectedEOF},
		{"half a record", "nfs://h/f", once("\x80\x00\x00\x10abc"), io.ErrUnexpectedEOF},
		{"2 GiB", "nfs://h/f", once("\xff\xff\xff\xff"), access.ErrTooLong},
		{"fragments without end", "nfs://h/f", once(strings.Repeat("\x00\x00\x00\x00", 10_000)), access.ErrTooLong},
		{"long fragments without end", "nfs://h/f", once(strings.Repeat("\x00\x01\x00\x00"+strings.Repeat("x", 1<<16), 40)), access.ErrTooLong},
		{"another xid", "nfs://h/f", func(_ int, xid []byte, _ string) []byte { return accepted([]byte{xid[0] + 1, 0, 0, 0}, file) }, access.ErrProtocol},
		{"a call", "nfs://h/f", func(_ int, xid []byte, _ string) []byte {
			r := accepted(xid, file)
			r[11] = 0
			return r
		}, access.ErrProtocol},
		{"a reply of eight bytes", "nfs://h/f", func(_ int, xid []byte, _ string) []byte {
			return xdr.Frame(append([]byte("\x00\x00\x00\x00"), append(append([]byte(nil), xid...), one...)...))
		}, access.ErrProtocol},
		{"an unknown reply_stat", "nfs://h/f", func(_ int, xid []byte, _ string) []byte {
			r := accepted(xid, file)
			r[15] = 7
			return r
		}, access.ErrProtocol},
		{"a long verifier", "nfs://h/f", func(_ int, xid []byte, _ string) []byte {
			r := accepted(xid, file)
			r[21] = 255
			return r
		}, access.ErrProtocol},
		{"a long handle", "nfs://h/f", results(none + "\x00\x00\x00\x48" + strings.Repeat("h", 72) + none + none), access.ErrProtocol},
		{"a handle that lies", "nfs://h/f", results(none + "\xff\xff\xff\xf0"), access.ErrProtocol},
		{"an unknown type", "nfs://h/f", results(found(attr(9, fourBytes))), access.ErrProtocol},
		{"a size over 2^62", "nfs://h/f", results(found(attr(1, negative))), access.ErrProtocol},
		{"a bool that is none", "nfs://h/f", results(none + "\x00\x00\x00\x04hand" + "\x00\x00\x00\x02"), access.ErrProtocol},
		{"two replies", "nfs://h/f", func(_ int, xid []byte, _ string) []byte {
			return append(accepted(xid, file), accepted(xid, file)...)
		}, access.ErrProtocol},
		{"too much data", "nfs://h/f", on("READ", file, none+none+"\x00\x00\x00\x08"+one+"\x00\x00\x00\x08abcdefgh"), access.ErrProtocol},
		{"a count that lies", "nfs://h/f", on("READ", file, none+none+"\x00\x00\x00\x03"+one+"\x00\x00\x00\x04abcd"), access.ErrProtocol},
		{"data that ends", "nfs://h/f", on("READ", file, none+none+"\x00\x00\x00\x04"+one+"\x00\x00\x00\x04ab"), access.ErrProtocol},
		{"no data for ever", "nfs://h/f", on("READ", file, none+none+none+none+none), access.ErrProtocol},
		{"an early end", "nfs://h/f", on("READ", file, none+none+"\x00\x00\x00\x02"+one+"\x00\x00\x00\x02ab\x00\x00"), io.ErrUnexpectedEOF},
		{"a huge name", "nfs://h/d", on("READDIRPLUS", found(attr(2, fourBytes)), none+none+strings.Repeat("\x00", 8)+one+fourBytes+"\x00\x00\xff\xf0"+strings.Repeat("n", 65520)), access.ErrProtocol},
		{"a name that lies", "nfs://h/d", on("READDIRPLUS", found(attr(2, fourBytes)), none+none+strings.Repeat("\x00", 8)+one+fourBytes+"\x00\x00\x00\xff"+"name"), access.ErrProtocol},
		{"a listing that does not go on", "nfs://h/d", on("READDIRPLUS", found(attr(2, fourBytes)), none+none+strings.Repeat("\x00", 8)+none+none), access.ErrProtocol},
		{"a link to a long path", "nfs://h/d/x", links(found(attr(5, fourBytes)), "\x00\x00\x10\x00"+strings.Repeat("p", 4096)), access.ErrProtocol},
		{"exports without end", "nfs://h/", exports(strings.Repeat(one+"\x00\x00\x00\x04/abc"+none, 40_000)), access.ErrTooLong},
		{"exports that lie", "nfs://h/", exports(one + "\xff\xff\xff\xff"), access.ErrProtocol},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := raw(t, test.send)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			r, err := c.Do(ctx, &access.Request{URL: url.MustParse(test.url)})
			if err == nil {
				_, err = io.Copy(io.Discard, r.Body)
				r.Body.Close()
			}
			if !errors.Is(err, test.want) || ctx.Err() != nil {
				t.Errorf("Get = %v, want %v", err, test.want)
			}
		})
	}
}

// once replies to the first call with these bytes, and closes the connection.
func once(reply string) func(int, []byte, string) []byte {
	return func(int, []byte, string) []byte { return []byte(reply + hangUp) }
}

// results replies to every call with the same results.
func results(r string) func(int, []byte, string) []byte {
	return func(_ int, xid []byte, _ string) []byte { return accepted(xid, r) }
}

// on replies to one procedure with r, and to all others as to a LOOKUP.
func on(proc, lookup, r string) func(int, []byte, string) []byte {
	return func(_ int, xid []byte, call string) []byte {
		switch call {
		case proc:
			return accepted(xid, r)
		case "FSINFO":
			return accepted(xid, none+none+strings.Repeat(one, 7)+strings.Repeat("\x00", 24))
		}
		return accepted(xid, lookup)
	}
}

// links replies to LOOKUP with a link, and to READLINK with target.
func links(link, target string) func(int, []byte, string) []byte {
	return func(n int, xid []byte, call string) []byte {
		switch call {
		case "READLINK":
			return accepted(xid, none+none+target)
		case "LOOKUP":
			if n == 1 { // the public directory
				return accepted(xid, found(attr(2, fourBytes)))
			}
			return accepted(xid, link)
		}
		return accepted(xid, none)
	}
}

// exports replies to LOOKUP that the server lacks a public directory, and to EXPORT with a
// list.
func exports(list string) func(int, []byte, string) []byte {
	return func(_ int, xid []byte, call string) []byte {
		switch call {
		case "LOOKUP", "GETATTR":
			return accepted(xid, "\x00\x00\x27\x11"+none)
		case "READLINK": // the number of EXPORT
			return accepted(xid, list)
		}
		return accepted(xid, "")
	}
}

// A server that is silent ends the request after the idle time, even in the middle of a file.
func TestSilent(t *testing.T) {
	for _, silent := range []string{"LOOKUP", "READ"} {
		m := newMemory(t, map[string]string{"f": numbered(100)})
		m.public = true
		m.after = func(call *rpcCall, w *xdrWriter) {
			if call.name == silent {
				w.Buf = nil
			}
		}
		c := client(m)
		c.Idle = 50 * time.Millisecond
		if _, err := get(t, c, "nfs://h/f"); !errors.Is(err, access.ErrTemporary) || !strings.Contains(err.Error(), "sent nothing for 50ms") {
			t.Errorf("silent at %s: %v", silent, err)
		}
	}
}

// An error that a broken server causes has one sentence.
func TestHostileTexts(t *testing.T) {
	for answer, want := range map[string]string{
		"\xff\xff\xff\xff": "the server sent a message of more than 1114112 bytes", "": "the server closed the connection without an answer",
	} {
		send := once(answer)
		if answer == "" {
			send = func(int, []byte, string) []byte { return nil }
		}
		_, err := get(t, raw(t, send), "nfs://h/f")
		if err == nil || err.Error() != "open nfs://h/f: "+want {
			t.Errorf("after %q: %v, want %q", answer, err, want)
		}
	}
}

// The error for a server without NFS version 3 names the versions that the server supports. The
// client makes no further call.
func TestOtherVersions(t *testing.T) {
	for versions, want := range map[[2]byte]string{
		{4, 4}: "the server has version 4 of NFS only", {2, 2}: "the server has version 2 of NFS only", {4, 5}: "the server has versions 4 to 5 of NFS only",
	} {
		for _, u := range []string{"nfs://h/", "nfs://h/a", "nfs://h//a", "nfs://h//a%20b"} {
			m := newMemory(t, map[string]string{"a": "content"})
			m.before = func(call *rpcCall, w *xdrWriter) bool {
				if call.program != 100003 {
					return false
				}
				for _, v := range []uint32{0, 0, 0, 2, uint32(versions[0]), uint32(versions[1])} { // PROG_MISMATCH
					w.Uint32(v)
				}
				return true
			}
			_, err := get(t, client(m), u)
			if !errors.Is(err, errors.ErrUnsupported) || err == nil || !strings.Contains(err.Error(), want) || access.Hint(err) == "" {
				t.Errorf("%s of a server with versions %v: %v, hint %q, want %q", u, versions, err, access.Hint(err), want)
			}
		}
	}
}

// The port mapper names the port of MOUNT. The client accepts only some ports.
//
// The client dials the port mapper and MOUNT at the IP address of the NFS connection, because
// the name of the host could lead to another host the next time.
func TestPortMapper(t *testing.T) {
	// attack: An NFS server names another port for MOUNT | MOUNT is dialled at the same host only, and only at an
	// allowed port
	m := newMemory(t, map[string]string{"a": "content"})
	mounts := newMemory(t, map[string]string{"a": ""})
	_, text, _ := net.SplitHostPort(mounts.addr)
	var port uint32
	for _, d := range text {
		port = port*10 + uint32(d-'0')
	}
	m.before = func(call *rpcCall, w *xdrWriter) bool {
		if call.program != 100005 {
			return false
		}
		for _, v := range []uint32{0, 0, 0, 1} { // PROG_UNAVAIL
			w.Uint32(v)
		}
		return true
	}
	for _, test := range []struct {
		says uint32
		want error
	}{{port, nil}, {0, errors.ErrUnsupported}, {25, access.ErrProtocol}, {70_000, access.ErrProtocol}} {
		mapper := newMemory(t, nil)
		mapper.before = func(call *rpcCall, w *xdrWriter) bool {
			if call.program != 100000 || call.proc != 3 || call.args.Uint32() != 100005 || call.args.Uint32() != 3 || call.args.Uint32() != 6 {
				t.Errorf("the port mapper that says %d is asked for %+v", test.says, call)
			}
			for _, v := range []uint32{0, 0, 0, 0, test.says} {
				w.Uint32(v)
			}
			return true
		}
		c := nfs.Client{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			to := map[string]string{"h:2049": m.addr, "127.0.0.1:111": mapper.addr, "127.0.0.1:" + text: mounts.addr}[address]
			if to == "" {
				t.Errorf("after the port mapper says %d, %s is dialled", test.says, address)
			}
			return new(net.Dialer).DialContext(ctx, network, to)
		}}
		got, err := get(t, c, "nfs://h/a")
		if !errors.Is(err, test.want) || test.want == nil && (got != "content" || err != nil) {
			t.Errorf("the port mapper says %d: %q, %v, want %v", test.says, got, err, test.want)
		}
	}
	c := client(m)
	c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == "127.0.0.1:111" {
			return nil, errors.New("connection refused")
		}
		return new(net.Dialer).DialContext(ctx, network, m.addr)
	}
	if _, err := get(t, c, "nfs://h/a"); err == nil || !strings.Contains(err.Error(), "port mapper (127.0.0.1:111)") {
		t.Errorf("without a port mapper: %v", err)
	}
	c.MountPort = uint16(port)
	c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, map[string]string{"h:2049": m.addr, "127.0.0.1:" + text: mounts.addr}[address])
	}
	if got, err := get(t, c, "nfs://h/a"); got != "content" || err != nil {
		t.Errorf("with MountPort: %q, %v", got, err)
	}
}

// A request ends whatever the server replies, and an error wraps one of the documented errors.
func FuzzReplies(f *testing.F) {
	file, dir := found(attr(1, fourBytes)), found(attr(2, fourBytes))
	f.Add([]byte(file), []byte(none+none+"\x00\x00\x00\x04"+one+"\x00\x00\x00\x04abcd"), []byte(nil))
	f.Add([]byte(dir), []byte(none+none+strings.Repeat(one, 7)), []byte(none+none+strings.Repeat("\x00", 8)+one+fourBytes+"\x00\x00\x00\x01n\x00\x00\x00"+fourBytes+none+none+none+one))
	f.Add([]byte("\x00\x00\x27\x11"+none), []byte(one+"\x00\x00\x00\x01/\x00\x00\x00"+none+none), []byte(dir))
	f.Add([]byte(found(attr(5, fourBytes))), []byte(none+none+"\x00\x00\x00\x01x\x00\x00\x00"), []byte(file))
	f.Fuzz(func(t *testing.T, first, second, third []byte) {
		replies := [][]byte{first, second, third}
		for _, op := range []access.Op{access.Get, access.Put, access.Delete} {
			c := raw(t, func(n int, xid []byte, _ string) []byte {
				if n >= 30 {
					return nil
				}
				return accepted(xid, string(replies[n%3]))
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			r, err := c.Do(ctx, &access.Request{Op: op, URL: url.MustParse("nfs://h/a/b"), Body: strings.NewReader("x"), Size: 1})
			if err == nil {
				_, err = io.CopyN(io.Discard, r.Body, 1<<16)
				r.Body.Close()
			}
			if _, ok := errors.AsType[*access.Error](err); err != nil && !ok && !errors.Is(err, io.EOF) {
				t.Errorf("%v gives %T: %v", op, err, err)
			}
			if ctx.Err() != nil {
				t.Errorf("%v hangs", op)
			}
			cancel()
		}
	})
}
