package sftp_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/proto/sftp"
	"locus/url"
)

// The connection has an idle limit, and is bound to the context. A server that sends a byte now and then cannot
// continue a login for ever.
func TestConnection(t *testing.T) {
	e := wiretest.Engine{HasTLS: true, Open: func(ctx context.Context, d wire.Dialer) error {
		c := sftp.Client{Dial: d.Dial, Idle: d.Idle}
		_, err := c.Do(ctx, &access.Request{URL: url.MustParse("sftp://ada@h/a")})
		return err
	}}
	wiretest.Test(t, e)
	e.Greeting, e.Drip = "SSH-2.0-x\r\n", "\x00\x00\x10\x04" // a packet of 4100 bytes
	wiretest.TestDrip(t, e)
}

// packet returns a packet of a type. The fields after the type are bytes, uint32, uint64 or strings.
func packet(kind byte, fields ...any) []byte {
	p := []byte{0, 0, 0, 0, kind}
	for _, f := range fields {
		switch f := f.(type) {
		case []byte:
			p = append(p, f...)
		case uint32:
			p = binary.BigEndian.AppendUint32(p, f)
		case uint64:
			p = binary.BigEndian.AppendUint64(p, f)
		case string:
			p = binary.BigEndian.AppendUint32(p, uint32(len(f)))
			p = append(p, f...)
		}
	}
	binary.BigEndian.PutUint32(p, uint32(len(p)-4))
	return p
}

const (
	wireVersion, wireStatus, wireHandle, wireData, wireName, wireAttrs           = 2, 101, 102, 103, 104, 105
	wireOpen, wireClose, wireRead, wireFstat, wireOpendir, wireReaddir, wireStat = 3, 4, 5, 8, 11, 12, 17
	wireWrite, wireLstat                                                         = 6, 7
)

var (
	version   = packet(wireVersion, uint32(3))
	directory = []byte{0, 0, 0, 4, 0, 0, 0o100, 0}                           // ATTRS with the mode of a directory
	file      = []byte{0, 0, 0, 5, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0x81, 0xa4} // of a file of 64 KiB
)

// raw starts a server that answers each packet of a client with the bytes of answer. If answer returns nil, the server
// ends the channel. The first packet is INIT.
func raw(t testing.TB, answer func(kind byte, id []byte) []byte) sftp.Client {
	t.Helper()
	return rawFull(t, func(kind byte, id, _ []byte) []byte { return answer(kind, id) })
}

// rawFull is raw with an answer that also gets the bytes of the packet after its id.
func rawFull(t testing.TB, answer func(kind byte, id, rest []byte) []byte) sftp.Client {
	t.Helper()
	s := start(t, &server{Serve: func(channel io.ReadWriteCloser) {
		for {
			var head [4]byte
			if _, err := io.ReadFull(channel, head[:]); err != nil {
				return
			}
			body := make([]byte, binary.BigEndian.Uint32(head[:]))
			if _, err := io.ReadFull(channel, body); err != nil {
				return
			}
			id := body[1:min(5, len(body))]
			reply := answer(body[0], id, body[1+len(id):])
			if reply == nil {
				return
			}
			if _, err := channel.Write(reply); err != nil {
				return
			}
		}
	}})
	c := s.client()
	c.Idle = time.Minute
	return c
}

// usual answers as a server with the directory d, whose listing has no end, and the file f.
func usual(kind byte, id []byte) []byte {
	switch kind {
	case 1:
		return version
	case wireStat, wireFstat:
		return packet(wireAttrs, id, file)
	case wireOpen, wireOpendir:
		return packet(wireHandle, id, "h")
	case wireRead:
		return packet(wireData, id, strings.Repeat("x", 32<<10-64))
	}
	return packet(wireStatus, id, uint32(0), "", "")
}

// A server that breaks the protocol gives an error, and no reply costs more memory than its bytes.
func TestHostile(t *testing.T) {
	// attack: An SFTP server sends packets with wrong lengths, ids or types | the request fails, and memory stays
	// bounded
	const protocol = "the server broke the protocol"
	for _, test := range []struct {
		name   string
		answer func(kind byte, id []byte) []byte // nil: as usual
		want   error
		text   string
	}{
		{"text before the protocol", func(byte, []byte) []byte { return []byte("Welcome to h!\r\n") }, access.ErrProtocol, `it begins with the text "Welco"`},
		{"a huge packet", func(byte, []byte) []byte { return []byte{0xff, 0xff, 0xff, 0xff, wireVersion} }, access.ErrProtocol, "a packet of 4294967295 bytes"},
		{"an empty packet", func(byte, []byte) []byte { return []byte{0, 0, 0, 0, 0} }, access.ErrProtocol, "a packet of 0 bytes"},
		{"another packet first", func(byte, []byte) []byte { return packet(wireStatus, uint32(3)) }, access.ErrProtocol, "does not begin with its version"},
		{"an old version", func(byte, []byte) []byte { return packet(wireVersion, uint32(2)) }, errors.ErrUnsupported, "version 2"},
		{"half a version", func(byte, []byte) []byte { return packet(wireVersion, []byte{0, 3}) }, access.ErrProtocol, ""},
		{"half an extension", func(byte, []byte) []byte { return packet(wireVersion, uint32(3), "x", uint32(9)) }, access.ErrProtocol, ""},
		{"the end", func(byte, []byte) []byte { return nil }, io.ErrUnexpectedEOF, ""},
		{"the end later", func(kind byte, _ []byte) []byte {
			if kind == 1 {
				return version
			}
			return nil
		}, io.ErrUnexpectedEOF, ""},
		{"another id", instead(wireStat, func([]byte) []byte { return packet(wireAttrs, uint32(99), file) }), access.ErrProtocol, "a reply to no request"},
		{"a reply twice", instead(wireStat, func(id []byte) []byte {
			return append(packet(wireAttrs, id, file), packet(wireAttrs, id, file)...)
		}), access.ErrProtocol, "a reply to no request"},
		{"no id", instead(wireStat, func([]byte) []byte { return packet(wireAttrs) }), access.ErrProtocol, "ends early"},
		{"another type", instead(wireStat, func(id []byte) []byte { return packet(wireData, id, "x") }), access.ErrProtocol, "a reply of type 103"},
		{"success without data", instead(wireStat, func(id []byte) []byte { return packet(wireStatus, id, uint32(0), "", "") }), access.ErrProtocol, "without its data"},
		{"half the attributes", instead(wireStat, func(id []byte) []byte { return packet(wireAttrs, id, file[:6]) }), access.ErrProtocol, "ends early"},
		{"a huge size", instead(wireStat, func(id []byte) []byte { return packet(wireAttrs, id, uint32(1), ^uint64(0)) }), access.ErrProtocol, "a size"},
		{"many extensions", instead(wireStat, func(id []byte) []byte { return packet(wireAttrs, id, uint32(1<<31), ^uint32(0)) }), access.ErrProtocol, "ends early"},
		{"a long handle", instead(wireOpen, func(id []byte) []byte { return packet(wireHandle, id, strings.Repeat("h", 257)) }), access.ErrProtocol, "a text of 257 bytes"},
		{"a huge handle", instead(wireOpen, func(id []byte) []byte { return packet(wireHandle, id, ^uint32(0)) }), access.ErrProtocol, ""},
		{"too many data", instead(wireRead, func(id []byte) []byte { return packet(wireData, id, strings.Repeat("x", 32<<10)) }), access.ErrProtocol, "a text of 32768 bytes"},
		{"no data", instead(wireRead, func(id []byte) []byte { return packet(wireData, id, "") }), access.ErrProtocol, "without data"},
		{"an early end", instead(wireRead, func(id []byte) []byte { return packet(wireStatus, id, uint32(1), "", "") }), io.ErrUnexpectedEOF, "shorter"},
		{"a status without a text", instead(wireStat, func(id []byte) []byte { return packet(wireStatus, id, uint32(2)) }), fs.ErrNotExist, "no such file"},
		{"an unknown status", instead(wireStat, func(id []byte) []byte { return packet(wireStatus, id, uint32(77), "why", "") }), nil, "77 why"},
		{"a device", instead(wireStat, func(id []byte) []byte { return packet(wireAttrs, id, uint32(4), uint32(0o020644)) }), fs.ErrNotExist, "regular"},
	} {
		answer := test.answer
		got, err := get(t, raw(t, answer), "sftp://ada@h/f")
		if err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %d bytes, %v, want %v with %q", test.name, len(got), err, test.want, test.text)
		}
	}
	if got, err := get(t, raw(t, usual), "sftp://ada@h/f"); err == nil {
		t.Errorf("a server that sends more than it was asked for: %d bytes, want an error with %q", len(got), protocol)
	}
}

// instead returns usual with another answer to one type of packets.
func instead(kind byte, answer func(id []byte) []byte) func(byte, []byte) []byte {
	return func(k byte, id []byte) []byte {
		if k == kind {
			return answer(id)
		}
		return usual(k, id)
	}
}

// names returns the reply to READDIR with some names.
func names(id []byte, names ...string) []byte {
	fields := []any{id, uint32(len(names))}
	for _, name := range names {
		fields = append(fields, name, "", uint32(0))
	}
	return packet(wireName, fields...)
}

// list lists the directory d of a server that answers READDIR with the bytes of answer. It stops after most entries.
func list(t testing.TB, most int, answer func(n int, id []byte) []byte) (entries []access.Entry, err error) {
	t.Helper()
	n := 0
	c := raw(t, func(kind byte, id []byte) []byte {
		switch kind {
		case wireStat:
			return packet(wireAttrs, id, directory)
		case wireReaddir:
			n++
			return answer(n, id)
		}
		return usual(kind, id)
	})
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("sftp://ada:sesame@h/d")})
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	err = access.Entries(r.List, func(e access.Entry) error {
		if entries = append(entries, e); len(entries) == most {
			return errEnough
		}
		return nil
	})
	return entries, err
}

var errEnough = errors.New("enough")

func TestHostileListing(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer func(n int, id []byte) []byte
		want   error
	}{
		{"more names than bytes", func(_ int, id []byte) []byte { return packet(wireName, id, ^uint32(0)) }, access.ErrProtocol},
		{"half a name", func(_ int, id []byte) []byte { return packet(wireName, id, uint32(1), uint32(40), uint64(0)) }, access.ErrProtocol},
		{"empty replies", func(_ int, id []byte) []byte { return names(id) }, access.ErrProtocol},
		{"only dots", func(_ int, id []byte) []byte { return names(id, ".", "..") }, access.ErrProtocol},
		{"no end", func(n int, id []byte) []byte { return names(id, fmt.Sprint(n)) }, errEnough},
		{"the end of the channel", func(n int, id []byte) []byte {
			if n == 1 {
				return names(id, "a")
			}
			return nil
		}, io.ErrUnexpectedEOF},
		{"a refusal", func(n int, id []byte) []byte {
			if n == 1 {
				return names(id, "a")
			}
			return packet(wireStatus, id, uint32(3), "no", "")
		}, fs.ErrPermission},
	} {
		if got, err := list(t, 1000, test.answer); !errors.Is(err, test.want) {
			t.Errorf("%s: %d entries, %v, want %v", test.name, len(got), err, test.want)
		}
	}
}

// The URLs of a listing have no password, and a name that could lead elsewhere gets no URL.
func TestHostileNames(t *testing.T) {
	// attack: An SFTP server lists names that lead out of the folder | they get no URL
	got, err := list(t, 1000, func(n int, id []byte) []byte {
		if n > 1 {
			return packet(wireStatus, id, uint32(1), "", "")
		}
		return names(id, ".", "a", "..", "a/../../etc", "", "b\x00c", "~", "ä?#", "\r\n")
	})
	if err != nil {
		t.Fatalf("list: %v", err)
	}
	want := map[string]string{
		"a": "sftp://ada@h/d/a", "a/../../etc": "", "": "", "b\x00c": "", "~": "sftp://ada@h/d/%7E", "ä?#": "sftp://ada@h/d/%C3%A4%3F%23",
		"\r\n": "sftp://ada@h/d/%0D%0A",
	}
	if len(got) != len(want) {
		t.Errorf("%d entries, want %d", len(got), len(want))
	}
	for _, e := range got {
		if u, ok := want[e.Title]; !ok || e.URL.String() != u {
			t.Errorf("the entry %q has the URL %q, want %q", e.Title, e.URL, u)
		}
	}
}

// A directory of any size is listed, and the entries come before the last reply of the server.
func TestLongListing(t *testing.T) {
	const replies, each = 2000, 100
	c := raw(t, func() func(kind byte, id []byte) []byte {
		n := 0
		many := make([]string, each)
		return func(kind byte, id []byte) []byte {
			switch {
			case kind == wireStat:
				return packet(wireAttrs, id, directory)
			case kind == wireReaddir && n == replies:
				return packet(wireStatus, id, uint32(1), "", "")
			case kind == wireReaddir:
				for i := range many {
					many[i] = fmt.Sprintf("file-%08d", n*each+i)
				}
				n++
				return names(id, many...)
			}
			return usual(kind, id)
		}
	}())
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("sftp://ada@h/d/")})
	if err != nil {
		t.Fatalf("list: %v", err)
	}
	defer r.Body.Close()
	count := 0
	err = access.Entries(r.List, func(e access.Entry) error {
		if want := fmt.Sprintf("file-%08d", count); e.Title != want {
			return fmt.Errorf("entry %d is %q", count, e.Title)
		}
		count++
		return nil
	})
	if err != nil || count != replies*each {
		t.Errorf("%d entries, %v, want %d", count, err, replies*each)
	}
}

// A failed upload closes its file, because the connection is used again and a server limits the open files of one. A file
// that is removed while it is open still takes space on a full disk.
func TestFailedUpload(t *testing.T) {
	missing := func(id []byte) []byte { return packet(wireStatus, id, uint32(2), "", "") }
	existing := func(id []byte) []byte { return packet(wireAttrs, id, file) }
	full := func(id []byte) []byte { return packet(wireStatus, id, uint32(4), "full", "") }
	for _, test := range []struct {
		op      access.Op
		failing byte
		lstat   func(id []byte) []byte
	}{
		{access.Put, wireWrite, missing},
		{access.Put, wireFstat, missing},
		{access.Append, wireWrite, existing},
		{access.Append, wireFstat, existing},
	} {
		var closed atomic.Int32
		c := raw(t, func(kind byte, id []byte) []byte {
			switch kind {
			case wireLstat:
				return test.lstat(id)
			case test.failing:
				return full(id)
			case wireClose:
				closed.Add(1)
			}
			return usual(kind, id)
		})
		c.Pool = new(sftp.Pool)
		do := func(op access.Op) error {
			_, err := c.Do(t.Context(), &access.Request{Op: op, URL: url.MustParse("sftp://ada@h/f"), Body: strings.NewReader("x"), Size: 1})
			return err
		}
		if err := do(test.op); err == nil || !strings.Contains(err.Error(), "full") {
			t.Errorf("%v with a failing packet of type %d: %v, want an error with \"full\"", test.op, test.failing, err)
		}
		_ = do(access.MakeDir) // the server answers it after every earlier packet
		if n := closed.Load(); n != 1 {
			t.Errorf("%v with a failing packet of type %d closes %d files, want 1", test.op, test.failing, n)
		}
		c.Pool.Close()
	}
}

// Each wait for a server ends.
func TestSilent(t *testing.T) {
	const wireRename, wireFsetstat = 18, 10
	for _, test := range []struct {
		op     access.Op
		silent byte // the type of the packets without a reply
		path   string
	}{
		{access.Get, 1, "f"},
		{access.Get, wireStat, "f"},
		{access.Get, wireOpen, "f"},
		{access.Get, wireRead, "f"},
		{access.Get, wireFstat, "f"},
		{access.Get, wireOpendir, "d/"},
		{access.Get, wireReaddir, "d/"},
		{access.Stat, wireStat, "f"},
		{access.Put, wireLstat, "f"},
		{access.Put, wireOpen, "f"},
		{access.Put, wireWrite, "f"},
		{access.Put, wireFsetstat, "f"},
		{access.Put, wireFstat, "f"},
		{access.Put, wireClose, "f"},
		{access.Put, wireRename, "f"},
	} {
		c := raw(t, func(kind byte, id []byte) []byte {
			switch {
			case kind == test.silent:
				return []byte{}
			case kind == wireStat && test.path == "d/":
				return packet(wireAttrs, id, directory)
			case kind == wireLstat:
				return packet(wireAttrs, id, file)
			case kind == wireRead:
				return packet(wireData, id, strings.Repeat("x", 64))
			case kind == wireFstat && test.op == access.Put:
				return packet(wireAttrs, id, uint32(1), uint64(1))
			}
			return usual(kind, id)
		})
		c.Idle = 100 * time.Millisecond
		r, err := c.Do(t.Context(), &access.Request{
			Op: test.op, URL: url.MustParse("sftp://ada@h/" + test.path), Body: strings.NewReader("x"), Size: 1, ModTime: time.Unix(1, 0),
		})
		if err == nil && r != nil && r.Body != nil {
			_, err = io.Copy(io.Discard, r.Body)
			r.Body.Close()
		}
		if !wire.IsTimeout(err) {
			t.Errorf("%v without replies to packets of type %d: %v, want a timeout", test.op, test.silent, err)
		}
	}
}

// A server opens a pipe only when somebody writes to it. The client does not wait for that, and the next request does
// not use the connection on which the server still waits.
func TestPipe(t *testing.T) {
	pipe := []byte{0, 0, 0, 4, 0, 0, 0o020, 0xa4} // ATTRS with the mode of a pipe
	var isPipe atomic.Bool
	isPipe.Store(true)
	c := raw(t, func(kind byte, id []byte) []byte {
		switch {
		case isPipe.Load() && kind == wireStat:
			return packet(wireAttrs, id, pipe)
		case isPipe.Load() && kind == wireOpen:
			return []byte{}
		}
		return usual(kind, id)
	})
	c.Idle, c.Pool = 20*time.Second, new(sftp.Pool)
	defer c.Pool.Close()
	req := &access.Request{URL: url.MustParse("sftp://ada:sesame@h/f")}
	if _, err := c.Do(t.Context(), req); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("Do(%q) of a pipe: %v, want that it is not a regular file", req.URL.Redacted(), err)
	}
	isPipe.Store(false)
	r, err := c.Do(t.Context(), req)
	if err != nil {
		t.Fatalf("Do(%q) of a file: %v", req.URL.Redacted(), err)
	}
	r.Body.Close()
}

// Some servers send permissions without the type of the file. The line of a listing then tells the type, and a URL that
// ends in "/" is a directory.
func TestPermissionsWithoutType(t *testing.T) {
	const bare = uint32(0o666)
	done := false
	c := raw(t, func(kind byte, id []byte) []byte {
		switch {
		case kind == wireStat || kind == wireLstat:
			return packet(wireAttrs, id, uint32(4), bare)
		case kind == wireReaddir && done:
			return packet(wireStatus, id, uint32(1), "", "")
		case kind == wireReaddir:
			done = true
			return packet(
				wireName, id, uint32(6),
				"f", "-rw-rw-rw   1     root     root     1944 Apr 24 14:58 f", uint32(4), bare,
				"sub", "drw-rw-rw   1     root     root     0 Apr 24 14:58 sub", uint32(4), bare,
				"l", "lrw-rw-rw   1     root     root     0 Apr 24 14:58 l", uint32(4), bare,
				"x", "x", uint32(4), bare,
				"data", "data", uint32(4), bare, // a line that is only the name
				"log", "log 1944 Apr 24 14:58", uint32(4), bare,
			)
		}
		return usual(kind, id)
	})
	u := url.MustParse("sftp://ada@h/d/")
	r, err := c.Do(t.Context(), &access.Request{URL: u})
	if err != nil {
		t.Fatalf("list: %v", err)
	}
	defer r.Body.Close()
	var got []string
	err = access.Entries(r.List, func(e access.Entry) error {
		got = append(got, fmt.Sprintf("%v %s", e.Kind, e.URL))
		return nil
	})
	want := []string{"object sftp://ada@h/d/f", "directory sftp://ada@h/d/sub/", "link sftp://ada@h/d/l", "object sftp://ada@h/d/x", "object sftp://ada@h/d/data", "object sftp://ada@h/d/log"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("the entries are %q, %v, want %q", got, err, want)
	}
	if found, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: u}); err != nil || found.Kind != access.Directory {
		t.Errorf("Stat(%q) = %+v, %v, want a directory", u, found, err)
	}
	if _, err := c.Do(t.Context(), &access.Request{Op: access.Delete, URL: u}); err != nil {
		t.Errorf("Delete(%q) = %v", u, err)
	}
}

// The kernel reports the size 0 for files such as /proc/cpuinfo, which have bytes.
func TestSizeZero(t *testing.T) {
	for _, test := range []struct {
		text string
		size int64
	}{
		{"", 0},
		{"processor: 0", -1},
		{strings.Repeat("a long text\n", 10_000), -1},
	} {
		attributes := func(id []byte) []byte { return packet(wireAttrs, id, uint32(5), uint64(0), uint32(0o100444)) }
		c := rawFull(t, func(kind byte, id, rest []byte) []byte {
			switch kind {
			case wireStat, wireFstat:
				return attributes(id)
			case wireRead:
				offset := binary.BigEndian.Uint64(rest[4+len("h"):])
				count := binary.BigEndian.Uint32(rest[4+len("h")+8:])
				if offset >= uint64(len(test.text)) {
					return packet(wireStatus, id, uint32(1), "", "")
				}
				return packet(wireData, id, test.text[offset:min(offset+uint64(count), uint64(len(test.text)))])
			}
			return usual(kind, id)
		})
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("sftp://ada@h/proc/cpuinfo")})
		if err != nil {
			t.Errorf("open %d bytes: %v", len(test.text), err)
			continue
		}
		got, err := io.ReadAll(r.Body)
		r.Body.Close()
		if string(got) != test.text || err != nil || r.Size != test.size {
			t.Errorf("%d bytes are read as %d bytes of the size %d, %v, want the size %d", len(test.text), len(got), r.Size, err, test.size)
		}
	}
}
