package mail

import (
	"bytes"
	"reflect"
	"testing"
)

func someIndex() *index {
	return &index{
		stamp: stamp{size: 4096, mtime: -5},
		entries: []entry{
			{place: "cur/1.a:2,S", stamp: stamp{size: 1, mtime: 1 << 60}, parts: true, ids: []uint64{1, 1 << 63}},
			{place: "", offset: 1 << 40, ids: nil},
			{place: "new/2", ids: []uint64{7}},
		},
	}
}

// An index is read as it was written.
func TestIndexOnDisk(t *testing.T) {
	for _, x := range []*index{someIndex(), {entries: []entry{}}} {
		got, err := decodeIndex(x.encode())
		if err != nil {
			t.Fatal(err)
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
			t.Errorf("%d octets of %d are an index", n, len(whole))
		}
		other := bytes.Clone(whole)
		other[n] ^= 1
		if _, err := decodeIndex(other); err == nil {
			t.Errorf("an index with octet %d changed is one", n)
		}
	}
}

// What is no index is refused, whatever it says about sizes; what is one is
// written again as it was.
func FuzzIndex(f *testing.F) {
	whole := someIndex().encode()
	f.Add(whole[len(indexMagic) : len(whole)-4])
	f.Add([]byte("\x00\x00\x00"))
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

// What is sent to a server in the name of a mailbox (RFC 3501 §5.1.3).
func TestMailboxName(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"INBOX", "INBOX"},
		{"a&b", "a&-b"},
		{"", ""},
		{"~peter/mail/台北/日本語", "~peter/mail/&U,BTFw-/&ZeVnLIqe-"},
		{"☺", "&Jjo-"},
		{"😀!", "&2D3eAA-!"},
		{"\x1f ~\x7f", "&AB8- ~&AH8-"},
		{"éa&é", "&AOk-a&-&AOk-"},
	} {
		if got := mailboxName(tt.name); got != tt.want {
			t.Errorf("mailboxName(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}
