package ftp

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
)

var (
	errNoPort  = sentinel.New("the server broke the protocol: no port above 1023 for data", access.ErrProtocol)
	errAccount = sentinel.New("the server requires an account (ACCT), and none is configured", errors.ErrUnsupported)
	errNotFile = sentinel.New("it is not a regular file", fs.ErrNotExist)
	errNotDir  = sentinel.New("it is not a directory", fs.ErrNotExist)
	errBroken  = sentinel.New("the transfer broke off: unexpected EOF", io.ErrUnexpectedEOF)
)

// replyError returns the error that a negative reply stands for (RFC 959 §4.2.2). It returns nil if
// the code has no general meaning.
func replyError(r access.Reply) error {
	switch r.Code {
	case 430, 530, 532, 534:
		return fs.ErrPermission
	case 500, 502, 504:
		return errors.ErrUnsupported
	case 452, 552: // a full disk, or the user's quota
		return access.ErrFull
	case 550:
		return error550(r)
	case 551, 554:
		return access.ErrRange
	case 521: // from MKD (RFC 959 appendix II)
		return fs.ErrExist
	case 553:
		return fs.ErrPermission
	}
	if r.Code < 500 {
		return access.ErrTemporary
	}
	return nil
}

// error550 returns the meaning of a 550 ("not found, no access"). The code is ambiguous, so the
// text decides. It returns nil if the text tells no meaning, or several: see explain.
func error550(r access.Reply) (means error) {
	for _, said := range []struct {
		means error
		words []string
	}{
		{fs.ErrPermission, []string{"permission", "denied", "not allowed", "forbidden", "read only", "read-only", "no access"}},
		{errNotFile, []string{"not a regular file", "not a plain file", "is a directory"}}, // proftpd, the BSDs' ftpd, others
		{errNotDir, []string{"not a directory"}},
		{fs.ErrExist, []string{"file exists", "already exists"}},
		{errNotEmpty, []string{"not empty"}},
		{fs.ErrNotExist, []string{"no such", "not exist", "n't exist", "not found", "n't find", "not find", "cannot find"}},
	} {
		switch {
		case !hasWord(r, said.words...):
		case means != nil:
			return nil //nolint:nilerr // two meanings are none
		default:
			means = said.means
		}
	}
	return means
}

// hasWord reports whether the text of a reply contains one of words, which are in lower case.
func hasWord(r access.Reply, words ...string) bool {
	text := strings.ToLower(r.Text)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// withRemedy sets the Remedy of a refusal. It returns err, which it leaves unchanged if it is not a
// refusal.
func withRemedy(err error, remedy access.Remedy) error {
	if refused, ok := errors.AsType[*engine.Refusal](err); ok {
		refused.Remedy = remedy
	}
	return err
}
