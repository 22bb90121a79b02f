package nfsd

import (
	"encoding/binary"
	"strings"
	"testing"
	"testing/fstest"

	"locus/internal/xdr"
)

// A client gets the status that RFC 1813 has for what it asks, whatever handle, name or place it
// gives.
func TestStatuses(t *testing.T) {
	t.Parallel()
	s := &Server{Files: fstest.MapFS{"a": file("hello"), "d/b": file("x"), "d/c": file("y"), "link": link("d/b"), "up": link("../../d"), "loop": link("loop")}}
	s.once.Do(s.init)
	beyond := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, s.boot), 1<<32-1)
	type args = func(w *xdr.Writer)
	of := func(handle []byte, rest ...any) args {
		return func(w *xdr.Writer) {
			w.Opaque(handle)
			for _, v := range rest {
				switch v := v.(type) {
				case string:
					w.String(v)
				case uint64:
					w.Uint64(v)
				case int:
					w.Uint32(uint32(v))
				}
			}
		}
	}
	const (
		getAttr, lookup, readLink, read, readDir, readDirPlus, fsInfo = 1, 3, 5, 6, 16, 17, 19
		all                                                           = 8 << 10
	)
	a, d, loop := s.handle("a"), s.handle("d"), s.handle("loop")
	for _, test := range []struct {
		name string
		call uint32
		args args
		want status
	}{
		{"a handle that was never given", getAttr, of(beyond), statusStale},
		{"a handle of 7 bytes", getAttr, of(beyond[:7]), statusStale},
		{"the public handle", getAttr, of(nil), 0},
		{"a name in a file", lookup, of(a, "x"), statusNotDir},
		{"a path in a directory", lookup, of(d, "../a"), statusInval},
		{"above the top", lookup, of(s.handle("."), ".."), 0},
		{"a path that climbs", lookup, of(nil, "../../d/../a"), 0},
		{"a path through a link that climbs", lookup, of(nil, "up/b"), 0},
		{"a path through a loop", lookup, of(nil, "loop/b"), statusIO},
		{"a bad escape", lookup, of(nil, "%zz"), statusInval},
		{"an escaped slash", lookup, of(nil, "d%2Fb"), 0},
		{"a NUL", lookup, of(nil, "a%00"), statusNoEnt},
		{"a long name", lookup, of(d, strings.Repeat("n", 256)), statusNameTooLong},
		{"a long path", lookup, of(nil, strings.Repeat("d/../", 200)+"a"), 0},
		{"the target of a file", readLink, of(a), statusInval},
		{"the target of a link", readLink, of(loop), 0},
		{"the target of no handle", readLink, of(beyond), statusStale},
		{"the bytes of a directory", read, of(d, uint64(0), 9), statusIsDir},
		{"the bytes of a link", read, of(loop, uint64(0), 9), statusInval},
		{"bytes far behind the end", read, of(a, uint64(1<<64-1), -1), 0},
		{"the names in a file", readDir, of(a, uint64(0), uint64(0), all), statusNotDir},
		{"a place that is not there", readDir, of(d, uint64(3), uint64(0), all), statusBadCookie},
		{"a place far away", readDirPlus, of(d, uint64(1<<64-1), uint64(0), all, all), statusBadCookie},
		{"the last place", readDir, of(d, uint64(2), uint64(0), all), 0},
		{"no room for a name", readDir, of(d, uint64(0), uint64(0), 8), statusTooSmall},
		{"sizes of no handle", fsInfo, of(beyond), statusStale},
		{"sizes", fsInfo, of(d), 0},
	} {
		w := &xdr.Writer{}
		for _, v := range []uint32{9, 0, 2, nfsProgram, version, test.call, 0, 0, 0, 0} {
			w.Uint32(v)
		}
		test.args(w)
		reply, ok := s.answer(xdr.NewReader(w.Buf))
		if !ok || len(reply) < 32 || binary.BigEndian.Uint32(reply[24:]) != success {
			t.Errorf("%s: the reply is %q", test.name, reply)
			continue
		}
		if got := status(binary.BigEndian.Uint32(reply[28:])); got != test.want {
			t.Errorf("%s: status %d, want %d", test.name, got, test.want)
		}
	}
	for _, name := range s.paths {
		if strings.Contains(name, "..") {
			t.Errorf("the server gave a handle for %q", name)
		}
	}
}

// MOUNT follows links, and exports the one directory.
func TestMount(t *testing.T) {
	t.Parallel()
	s := &Server{Files: fstest.MapFS{"d/b": file("x"), "link": link("d"), "a": file("y"), "loop": link("loop")}}
	s.once.Do(s.init)
	for path, want := range map[string]status{"/": 0, "": 0, "/link": 0, "/d/..": 0, "/a": statusNotDir, "/loop": statusIO, "/none": statusNoEnt} {
		w := &xdr.Writer{}
		for _, v := range []uint32{9, 0, 2, mountProgram, version, 1, 0, 0, 0, 0} {
			w.Uint32(v)
		}
		w.String(path)
		reply, ok := s.answer(xdr.NewReader(w.Buf))
		if !ok || len(reply) < 32 || status(binary.BigEndian.Uint32(reply[28:])) != want {
			t.Errorf("%q is answered with %q, want status %d", path, reply, want)
		}
	}
	exports := say(s, 9, 0, 2, mountProgram, 3, 5, 0, 0, 0, 0)
	if want := "\x00\x00\x00\x01\x00\x00\x00\x01/\x00\x00\x00" + strings.Repeat("\x00", 8); !strings.HasSuffix(string(exports), want) {
		t.Errorf("the exports are %q, want %q", exports, want)
	}
}
