package retry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"syscall"
	"testing"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

func TestTransient(t *testing.T) {
	reply := func(scheme string, code int, err error) error {
		return &access.Error{Op: "open", URL: url.MustParse(scheme + "://h/"), Reply: &access.Reply{Code: code}, Err: err}
	}
	some := errors.New("some reason")
	later := engine.Reason("later", access.ErrTemporary)
	for _, test := range []struct {
		err  error
		want bool
	}{
		// A reply has the meaning that its engine gives it, whatever its code.
		{reply("http", 503, later), true},
		{reply("http", 503, some), false},
		{reply("http", 404, fs.ErrNotExist), false},
		{reply("ftp", 421, later), true},
		{reply("ftp", 450, some), false},
		{reply("ftp", 426, io.ErrUnexpectedEOF), true},
		{reply("ftp", 452, access.ErrFull), false},
		{reply("ftp", 430, access.ErrPassword), false},
		{reply("x", 1, later), true},
		{reply("ftp", 421, fmt.Errorf("%w: %w", fs.ErrPermission, access.ErrTemporary)), false},
		{access.ErrTemporary, true},
		{fmt.Errorf("%w: %w", access.ErrTemporary, context.DeadlineExceeded), true},
		{context.DeadlineExceeded, false},
		{context.Canceled, false},
		{os.ErrDeadlineExceeded, true},
		{io.ErrUnexpectedEOF, true},
		{syscall.ECONNRESET, true},
		{syscall.ECONNREFUSED, false},
		{some, false},
		{access.ErrChanged, false},
		{&access.Error{Op: "read", Err: some}, true},
		{&access.Error{Op: "read", Err: access.ErrProtocol}, false},
		{&access.Error{Op: "read", Err: some, Reply: &access.Reply{Text: "S1 no such thing"}}, false}, // a protocol without codes
		{&net.OpError{Op: "dial", Err: &net.DNSError{IsTimeout: true}}, true},
		{&net.OpError{Op: "dial", Err: &net.DNSError{IsNotFound: true}}, false},
		{net.ErrClosed, false},

		// A panic is a defect, even during a read.
		{&access.Error{Op: "read", Err: &access.PanicError{Value: "x"}}, false},
	} {
		if got := Transient(test.err); got != test.want {
			t.Errorf("Transient(%v) = %v, want %v", test.err, got, test.want)
		}
	}
}
