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

// unavailable tells the two meanings of 550 ("not found, no access") apart, by
// what servers write.
func unavailable(r access.Reply) error {
	text := strings.ToLower(r.Text)
	for _, sign := range []string{"permission", "denied", "not allowed", "forbidden"} {
		if strings.Contains(text, sign) {
			return fs.ErrPermission
		}
	}
	return fs.ErrNotExist
}

// advise says what the user can do about a reply that says no.
func advise(err error, tip string) error {
	if refused, ok := errors.AsType[*reply.Error](err); ok {
		refused.Tip = tip
	}
	return err
}
