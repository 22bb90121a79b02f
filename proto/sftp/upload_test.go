package sftp_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/url"
)

// The client sends the requests that end an upload together, and waits for their replies afterwards. The first reply
// with an error is the error of the upload, and the connection can be used again.
func TestUploadEndsTogether(t *testing.T) {
	const wireFsetstat, wireRename = 10, 18
	ok := func(id []byte) []byte { return packet(wireStatus, id, uint32(0), "", "") }
	denied := func(id []byte) []byte { return packet(wireStatus, id, uint32(3), "no", "") }
	sized := func(size byte) func([]byte) []byte {
		return func(id []byte) []byte {
			return packet(wireAttrs, id, []byte{0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, size, 0, 0, 0x81, 0xa4})
		}
	}
	for _, test := range []struct {
		name                   string
		fsetstat, fstat, close func(id []byte) []byte
		want                   error
		renames                bool
	}{
		{"stored", ok, sized(4), ok, nil, true},
		{"attributes refused", denied, sized(4), ok, fs.ErrPermission, false},
		{"size refused", ok, denied, ok, fs.ErrPermission, false},
		{"another size", ok, sized(3), ok, access.ErrServer, false},
		{"close refused", ok, sized(4), denied, fs.ErrPermission, false},
	} {
		var late []byte // replies that the server keeps until CLOSE
		renamed := false
		c := raw(t, func(kind byte, id []byte) []byte {
			switch kind {
			case wireLstat, wireStat:
				return packet(wireStatus, id, uint32(2), "no such file", "")
			case wireFsetstat:
				late = append(late, test.fsetstat(id)...)
				return []byte{}
			case wireFstat:
				late = append(late, test.fstat(id)...)
				return []byte{}
			case wireClose:
				return append(late, test.close(id)...)
			case wireRename:
				renamed = true
			}
			return usual(kind, id)
		})
		c.Idle = 10 * time.Second
		_, err := c.Do(t.Context(), &access.Request{
			Op: access.Put, URL: url.MustParse("sftp://ada@h/f"), Body: strings.NewReader("text"), Size: 4, ModTime: time.Unix(1e9, 0),
		})
		if test.want == nil && err != nil || test.want != nil && !errors.Is(err, test.want) || renamed != test.renames {
			t.Errorf("%s: Put = %v, renamed %v, want %v and %v", test.name, err, renamed, test.want, test.renames)
		}
	}
}
