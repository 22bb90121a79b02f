package ftp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"locus/access"
)

var (
	errNoPort  = fmt.Errorf("%w: no port above 1023 for data", access.ErrProtocol)
	errAccount = access.Reason("it wants an account (ACCT), which a URL cannot give", errors.ErrUnsupported)
	errBroken  = fmt.Errorf("the transfer broke off: %w", io.ErrUnexpectedEOF)
)

// meaning returns what a reply that says no means (RFC 959 §4.2.2); nil if it
// means nothing in particular.
func meaning(r access.Reply) error {
	switch r.Code {
	case 430, 530, 532, 534:
		return fs.ErrPermission
	case 500, 502, 504:
		return errors.ErrUnsupported
	case 452, 552: // a full disk, or more than the user may have
		return access.ErrFull
	case 550:
		return unavailable(r)
	case 551, 554:
		return access.ErrRange
	case 521: // RFC 959 appendix II, of MKD
		return fs.ErrExist
	case 553:
		return fs.ErrPermission
	}
	if r.Code < 500 {
		return access.ErrTemporary
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
		{"read only", fs.ErrPermission},
		{"read-only", fs.ErrPermission},   // EROFS, as Unix says it
		{"not a regular file", notFile{}}, // proftpd
		{"not a plain file", notFile{}},   // the BSDs' ftpd
		{"is a directory", notFile{}},
		{"file exists", fs.ErrExist},
		{"already exists", fs.ErrExist},
		{"not empty", errNotEmpty},
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

// advise says what the caller can do about a reply that says no.
func advise(err error, remedy access.Remedy) error {
	if refused, ok := errors.AsType[*access.Refusal](err); ok {
		refused.Remedy = remedy
	}
	return err
}
