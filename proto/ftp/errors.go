package ftp

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"locus/access"
	"locus/proto/internal/reply"
)

var (
	errTemporary = errors.New("the server cannot do it now")
	errNoPort    = fmt.Errorf("%w: no port above 1023 for data", access.ErrProtocol)
	errAccount   = fmt.Errorf("it wants an account (ACCT), which a URL cannot give: %w", errors.ErrUnsupported)
)

// meaning returns what a reply that says no means (RFC 959 §4.2.2); nil if it
// means nothing in particular.
func meaning(r access.Reply) error {
	switch r.Code {
	case 430, 530, 532, 534:
		return fs.ErrPermission
	case 500, 502, 504:
		return errors.ErrUnsupported
	case 550:
		return unavailable(r)
	case 551, 554:
		return access.ErrRange
	}
	if r.Code < 500 {
		return errTemporary
	}
	return nil
}

// unavailable tells the meanings of 550 ("not found, no access") apart, by what
// servers write.
func unavailable(r access.Reply) error {
	text := strings.ToLower(r.Text)
	for _, said := range []struct {
		words string
		means error
	}{
		{"permission", fs.ErrPermission},
		{"denied", fs.ErrPermission},
		{"not allowed", fs.ErrPermission},
		{"forbidden", fs.ErrPermission},
		{"not a regular file", notFile{}}, // proftpd
		{"not a plain file", notFile{}},   // the BSDs' ftpd
		{"is a directory", notFile{}},
	} {
		if strings.Contains(text, said.words) {
			return said.means
		}
	}
	return fs.ErrNotExist
}

// notFile says that what the URL names is there, and is no file. A file of that
// name does not exist.
type notFile struct{}

func (notFile) Error() string { return "it is not a file" }
func (notFile) Unwrap() error { return fs.ErrNotExist }

// advise says what the user can do about a reply that says no.
func advise(err error, tip string) error {
	if refused, ok := errors.AsType[*reply.Error](err); ok {
		refused.Tip = tip
	}
	return err
}
