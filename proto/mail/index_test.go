package mail

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func someIndex() *index {
	return &index{
		stamp: stamp{size: 4096, mtime: -5},
		entries: []entry{
			{path: "cur/1.a:2,S", stamp: stamp{size: 1, mtime: 1 << 60}, parts: true, ids: []uint64{1, 1 << 63}},
			{path: "", offset: 1 << 40, ids: nil},
			{path: "new/2", ids: []uint64{7}},
		},
		dirs: []dirStamp{{"cur", 1 << 60}, {"new", 0}},
	}
}

// decodeIndex inverts encode. A changed byte makes the index invalid.
func TestIndexOnDisk(t *testing.T) {
	for _, x := range []*index{someIndex(), {entries: []entry{}}} {
		got, err := decodeIndex(x.encode())
		if err != nil {
			t.Fatalf("decodeIndex of the index with %d entries: %v", len(x.entries), err)
		}
		for i, e := range got.entries {
			if len(e.ids) == 0 {
				got.entries[i].ids = nil
			}
		}
		if !reflect.DeepEqual(got, x) {
			t.Errorf("decodeIndex = %+v, want %+v", got, x)
		}
	}
	whole := someIndex().encode()
	for n := range whole {
		if _, err := decodeIndex(whole[:n]); err == nil {
			t.Errorf("decodeIndex of the first %d of %d bytes gives no error", n, len(whole))
		}
		other := bytes.Clone(whole)
		other[n] ^= 1
		if _, err := decodeIndex(other); err == nil {
			t.Errorf("decodeIndex with byte %d changed gives no error", n)
		}
	}
}

// summed returns b with its checksum after it.
func summed(b []byte) []byte {
	return binary.BigEndian.AppendUint32(bytes.Clone(b), checksum(b))
}

// An index with a right checksum is invalid if it ends too early or too late, or if its numbers are
// too large.
func TestIndexBroken(t *testing.T) {
	whole := someIndex().encode()
	whole = whole[:len(whole)-4]
	if _, err := decodeIndex(summed(whole)); err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if x, err := decodeIndex(summed(whole[:n])); err == nil {
			t.Errorf("the first %d bytes of %d are the index %+v", n, len(whole), x)
		}
	}
	most := string(binary.AppendUvarint(nil, 1<<64-1))
	for _, test := range []string{
		"", indexMagic, indexMagic + "\x00", "Locus mail index 3\n\x00\x00\x00\x00", strings.Replace(indexMagic, "3", "2", 1) + "\x00\x00\x00\x00",
		string(whole) + "\x00",
		indexMagic + "\x00\x00" + most,                          // entries
		indexMagic + "\x00\x00\x02\x00\x00\x00\x00\x00",         // two, of which one is missing
		indexMagic + "\x00\x00\x01" + most + "\x00\x00\x00\x00", // of a path
		indexMagic + "\x00\x00\x01\x01\x00\x00\x00\x00",
		indexMagic + "\x00\x00\x01\x00\x00\x00\x00" + most, // ids
		indexMagic + "\x00\x00\x01\x00\x00\x00\x00\x02" + "1234567",
		indexMagic + "\x00\x00\x01\x00\x00\x00\x00\x04" + "12345678",
		indexMagic + "\x00\x00\x00" + most,                                  // directories
		indexMagic + "\x00\x00\x00\x02\x00\x00",                             // two, of which one is missing
		indexMagic + "\x00\x00\x00\x01" + most + "\x00\x00",                 // of a name
		indexMagic + "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\x00\x00", // no number
	} {
		for _, b := range [][]byte{[]byte(test), summed([]byte(test))} {
			if x, err := decodeIndex(b); !errors.Is(err, errIndex) {
				t.Errorf("decodeIndex(%q) = %+v, %v, want an error", b, x, err)
			}
		}
	}
	x, err := decodeIndex(summed([]byte(indexMagic + "\x00\x00\x01\x00\x00\x00\x00\x03" + "\x00\x00\x00\x00\x00\x00\x00\x07\x00")))
	if err != nil || len(x.entries) != 1 || !x.entries[0].parts || !slices.Equal(x.entries[0].ids, []uint64{7}) {
		t.Errorf("an index of one message is %+v, %v", x, err)
	}
}

// find returns the entries with an id, and hasAllIDs reports whether the index has all ids of that
// kind.
func TestIndexFind(t *testing.T) {
	message, part := hashMessageID("a@b"), hashContentID("a@b")
	if message == part {
		t.Error("a message and a part have the same hash")
	}
	whole := &index{entries: []entry{{offset: 1, parts: true, ids: []uint64{message}}, {offset: 2, parts: true, ids: []uint64{9, part}}, {offset: 3, parts: true, ids: []uint64{message, part}}}}
	some := &index{entries: append(slices.Clone(whole.entries), entry{offset: 4})}
	byMessage, byPart, byBoth := Query{MessageID: "a@b"}, Query{ContentID: "a@b"}, Query{MessageID: "a@b", ContentID: "a@b"}
	for _, test := range []struct {
		q     Query
		found []int64
		some  bool // whether some knows it
	}{
		{byMessage, []int64{1, 3}, true},
		{byPart, []int64{2, 3}, false},
		{byBoth, []int64{1, 3}, true},
		{Query{MessageID: "b@a"}, nil, true},
		{Query{ContentID: "b@a"}, nil, false},
	} {
		var got []int64
		for _, e := range whole.find(test.q) {
			got = append(got, e.offset)
		}
		if !slices.Equal(got, test.found) || !whole.hasAllIDs(test.q) || some.hasAllIDs(test.q) != test.some {
			t.Errorf("%+v is found at %v, want %v, known %v, where not all parts are %v, want %v", test.q, got, test.found, whole.hasAllIDs(test.q), some.hasAllIDs(test.q), test.some)
		}
	}
}

// loadIndex returns the saved index. If that cannot be read, it returns an empty index. A failed
// save leaves no temporary file.
func TestIndexInCache(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	names := func() (all []string) {
		list, err := fs.ReadDir(root.FS(), ".")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			all = append(all, e.Name())
		}
		return all
	}
	if x := loadIndex(root, "x"); len(x.entries) != 0 {
		t.Errorf("loadIndex without a file = %+v, want an empty index", x)
	}
	for range 2 {
		if err := someIndex().save(root, "x"); err != nil || !slices.Equal(names(), []string{"x"}) {
			t.Errorf("save = %v leaves %q, want only x", err, names())
		}
	}
	if x := loadIndex(root, "x"); len(x.entries) != 3 || x.stamp != someIndex().stamp {
		t.Errorf("loadIndex of the saved index = %+v", x)
	}
	if err := root.WriteFile("y", someIndex().encode()[1:], 0o600); err != nil {
		t.Fatal(err)
	}
	if x := loadIndex(root, "y"); x == nil || len(x.entries) != 0 {
		t.Errorf("loadIndex of another file = %+v, want an empty index", x)
	}
	if err := root.MkdirAll("z/in the way", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := someIndex().save(root, "z"); err == nil || !slices.Equal(names(), []string{"x", "y", "z"}) {
		t.Errorf("save over a folder = %v leaves %q, want an error and no temporary file", err, names())
	}
	if err := someIndex().save(nil, "x"); err != nil || len(loadIndex(nil, "x").entries) != 0 {
		t.Errorf("save without a cache = %v, want nil and no index", err)
	}
}

// A stamp tells versions apart only if the file was not changed for a while.
func TestSettled(t *testing.T) {
	changed := time.Unix(1_000_000, 5)
	s := stamp{size: 7, mtime: changed.UnixNano()}
	for _, test := range []struct {
		after time.Duration
		want  stamp
	}{{2 * time.Second, s}, {2*time.Second - 1, stamp{}}, {time.Hour, s}, {0, stamp{}}, {-time.Hour, stamp{}}} {
		if got := s.settled(changed.Add(test.after)); got != test.want {
			t.Errorf("%v after it was changed the stamp is %+v, want %+v", test.after, got, test.want)
		}
	}
}

// decodeIndex refuses invalid input, whatever it says about sizes. Valid input is encoded again to
// the same bytes.
func FuzzIndex(f *testing.F) {
	whole := someIndex().encode()
	f.Add(whole[len(indexMagic) : len(whole)-4])
	f.Add([]byte("\x00\x00\x00\x00"))
	f.Add([]byte("\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Add([]byte("\x00\x00\x01\x00\x01\x00\x00\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		b = append([]byte(indexMagic), b...)
		sum := checksum(b)
		x, err := decodeIndex(append(b, byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum)))
		if err != nil {
			return
		}
		again, err := decodeIndex(x.encode())
		if err != nil || !reflect.DeepEqual(again, x) {
			t.Errorf("%q is %+v, then %+v, %v", b, x, again, err)
		}
	})
}
