package sftp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
)

// A status is a code of STATUS (draft-ietf-secsh-filexfer-02 §7).
type status uint32

const (
	statusOK          status = 0
	statusEOF         status = 1
	statusNoFile      status = 2
	statusPermission  status = 3
	statusFailure     status = 4
	statusUnsupported status = 8
)

// A statusMeaning is the text of a status, for servers that send none, and the error that it wraps.
type statusMeaning struct {
	text  string
	means error
}

var statuses = map[status]statusMeaning{
	statusEOF:         {"the file or the listing ends", io.ErrUnexpectedEOF},
	statusNoFile:      {"no such file or directory", fs.ErrNotExist},
	statusPermission:  {"permission denied", fs.ErrPermission},
	statusFailure:     {"the server refuses", nil},
	5:                 {"the server does not understand a packet", access.ErrProtocol},
	6:                 {"the server has no connection", access.ErrTemporary},
	7:                 {"the server lost its connection", access.ErrTemporary},
	statusUnsupported: {"not supported", errors.ErrUnsupported},
	11:                {"it already exists", fs.ErrExist},   // later versions of the protocol, as are the next ones
	14:                {"no space is left", access.ErrFull}, // on the server
	15:                {"the quota is used up", access.ErrFull},
}

// readStatus reads the payload of STATUS. It returns nil for success, and otherwise an *engine.Refusal with the
// code and the text of the server.
func readStatus(r *reader) error {
	code := status(r.uint32())
	text := ""
	if len(r.data) > 0 { // servers of older versions send no text
		text = r.string(maxString)
		r.bytes(maxString) // the language
	}
	if r.err != nil && text == "" {
		return malformed(r.err)
	}
	if code == statusOK {
		return nil
	}
	known := statuses[code]
	if text == "" {
		text = known.text
	}
	return &engine.Refusal{Reply: access.Reply{Code: int(code), Text: text}, Means: quiet(known.means)}
}

// quiet returns an error that wraps err but shows no text, because the reply has the text. It returns nil if err is nil.
func quiet(err error) error {
	if err == nil {
		return nil
	}
	return engine.Reason("", err)
}

// hasStatus reports whether err is a refusal with one of the statuses.
func hasStatus(err error, wanted ...status) bool {
	refused, ok := errors.AsType[*engine.Refusal](err)
	return ok && slices.Contains(wanted, status(refused.Reply.Code)) //nolint:gosec // readStatus made it of a status
}

// isRefusal reports whether err is the server's reply to a request. After a reply the connection can still be used.
func isRefusal(err error) bool {
	_, ok := errors.AsType[*engine.Refusal](err)
	return ok
}

// meaning returns a copy of err that wraps means, and not the meaning of the status, if err is a refusal. It returns
// other errors unchanged.
func meaning(err, means error) error {
	refused, ok := errors.AsType[*engine.Refusal](err)
	if !ok {
		return err
	}
	next := *refused
	next.Means = means
	return &next
}

// leftover returns cause with the advice that the file name may remain on the server.
func leftover(cause error, name string) error {
	return access.WithRemedy(cause, access.Advice(fmt.Sprintf("a part of the file may remain on the server as %q", name)))
}

var (
	errSize       = errors.New("a size that is not accepted")
	errNotRegular = sentinel.New("it is not a regular file", fs.ErrNotExist)
	errNotDir     = sentinel.New("it is not a directory", fs.ErrNotExist)
	errIsDir      = sentinel.New("it is a directory", fs.ErrPermission)
	errNotEmpty   = sentinel.New("the directory is not empty or may not be removed", fs.ErrPermission)
	errShorter    = sentinel.New("the file became shorter while it was read", io.ErrUnexpectedEOF)
	errShortWrite = sentinel.New("the server stored a different number of bytes than locus sent", access.ErrServer)
	errUnordered  = sentinel.New("the server may write in any order, so the size of a part does not say which bytes it contains", errors.ErrUnsupported)
	errRoot       = sentinel.New("it is the top directory", fs.ErrPermission)
	errNoUser     = sentinel.New("the URL has no user", access.ErrPassword)
	errNoSFTP     = sentinel.New("the server does not offer SFTP", errors.ErrUnsupported)
)
