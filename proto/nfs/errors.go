package nfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
)

// An rpcError reports that the server refused a call without executing it (RFC 5531 §9).
type rpcError struct {
	name   string // of the procedure
	accept uint32 // accept_stat
	auth   uint32 // auth_stat
	isAuth bool

	low, high uint32 // with progMismatch, the lowest and highest version that the server supports
}

const (
	progUnavailable = 1
	progMismatch    = 2
	procUnavailable = 3
	garbageArgs     = 4
	systemError     = 5
)

// acceptTexts returns the sentence for each accept_stat (RFC 5531 §9) with which a server refuses a
// call.
func acceptTexts() map[uint32]string {
	return map[uint32]string{
		progUnavailable: "the server does not have this program",
		progMismatch:    "the server has another version of the protocol",
		procUnavailable: "the server does not have this procedure",
		garbageArgs:     "the server does not understand the arguments",
		systemError:     "the server failed",
	}
}

// Error returns a text such as "LOOKUP: the server does not have this procedure".
func (e *rpcError) Error() string {
	text, ok := acceptTexts()[e.accept]
	switch {
	case e.isAuth:
		text = "the server refuses the user (RPC authentication error " + strconv.Itoa(int(e.auth)) + ")"
	case !ok:
		text = "the server refuses the call"
	}
	if e.name == "" {
		return text
	}
	return e.name + ": " + text
}

// Unwrap returns fs.ErrPermission, access.ErrServer or errors.ErrUnsupported.
func (e *rpcError) Unwrap() error {
	switch {
	case e.isAuth:
		return fs.ErrPermission
	case e.accept == systemError:
		return access.ErrServer
	}
	return errors.ErrUnsupported
}

// versionError returns the error for a server that does not support NFS version 3.
func (e *rpcError) versionError() error {
	versions := fmt.Sprintf("version %d", e.low)
	if e.high != e.low {
		versions = fmt.Sprintf("versions %d to %d", e.low, e.high)
	}
	err := engine.Reason("the server has "+versions+" of NFS only, and version 3 is needed", errors.ErrUnsupported)
	return access.WithRemedy(err, access.Advice("mount it with the NFS client of this machine, and open the files as file URLs"))
}

// isAuth reports whether err means that the server refuses the user.
func isAuth(err error) bool {
	refused, ok := errors.AsType[*rpcError](err)
	return ok && refused.isAuth
}

// isProcUnavailable reports whether err means that the server lacks a procedure.
func isProcUnavailable(err error) bool {
	refused, ok := errors.AsType[*rpcError](err)
	return ok && !refused.isAuth && refused.accept == procUnavailable
}

// A status is an nfsstat3 (RFC 1813 §2.6) or a mountstat3 (§5.1.5), which have the same
// numbers.
type status uint32

const (
	statusPerm        status = 1
	statusNoEnt       status = 2
	statusAccess      status = 13
	statusExist       status = 17
	statusNotDir      status = 20
	statusIsDir       status = 21
	statusInval       status = 22
	statusNameTooLong status = 63
	statusNotEmpty    status = 66
	statusStale       status = 70
	statusBadHandle   status = 10001
	statusBadCookie   status = 10003
	statusNotSupp     status = 10004
	statusTooSmall    status = 10005
	statusServerFault status = 10006
)

var errNotEmpty = sentinel.New("the directory is not empty", fs.ErrPermission)

// A statusMeaning is the text of a status and the error that it wraps.
type statusMeaning struct {
	text  string
	means error
}

// statuses has the meanings of the statuses, without success.
var statuses = map[status]statusMeaning{
	statusPerm:        {"the server does not permit it", fs.ErrPermission},
	statusNoEnt:       {"no such file or directory", fs.ErrNotExist},
	5:                 {"the server had a disk error", access.ErrServer},
	6:                 {"no such device", fs.ErrNotExist},
	statusAccess:      {"permission denied", fs.ErrPermission},
	statusExist:       {"it already exists", fs.ErrExist},
	18:                {"a file cannot be moved to another file system", errors.ErrUnsupported},
	19:                {"no such device", fs.ErrNotExist},
	statusNotDir:      {"not a directory", fs.ErrNotExist},
	statusIsDir:       {"it is a directory", fs.ErrPermission},
	statusInval:       {"the server does not accept an argument", errors.ErrUnsupported},
	27:                {"the file would be too large for the server", access.ErrFull},
	28:                {"no space is left on the server", access.ErrFull},
	30:                {"the file system is read-only", fs.ErrPermission},
	31:                {"too many links", access.ErrFull},
	statusNameTooLong: {"the name is too long for the server", fs.ErrNotExist},
	statusNotEmpty:    {"the directory is not empty", errNotEmpty},
	69:                {"the quota is used up", access.ErrFull},
	statusStale:       {"the file was removed (stale file handle)", fs.ErrNotExist},
	71:                {"it is on another server", errors.ErrUnsupported},
	statusBadHandle:   {"the server does not accept the file handle", fs.ErrNotExist},
	10002:             {"the file was changed in the meantime", access.ErrChanged},
	statusBadCookie:   {"the directory changed while it was read", access.ErrTemporary},
	statusNotSupp:     {"not supported", errors.ErrUnsupported},
	statusTooSmall:    {"a reply would not fit", access.ErrServer},
	statusServerFault: {"the server failed", access.ErrServer},
	10007:             {"the server does not support this type of file", errors.ErrUnsupported},
	10008:             {"the server needs more time", access.ErrTemporary},
}

// refusal returns the error for a status, and nil for success.
func refusal(s status) error {
	if s == 0 {
		return nil
	}
	known, ok := statuses[s]
	if !ok {
		known.text = "the server refuses"
	}
	return &engine.Refusal{Reply: access.Reply{Code: int(s), Text: known.text}, Means: quiet(known.means)}
}

// quiet returns an error that wraps err but shows no text, because the reply has the text. It
// returns nil if err is nil.
func quiet(err error) error {
	if err == nil {
		return nil
	}
	return engine.Reason("", err)
}

// hasStatus reports whether err is a refusal with one of the statuses.
func hasStatus(err error, wanted ...status) bool {
	refused, ok := errors.AsType[*engine.Refusal](err)
	if !ok {
		return false
	}
	for _, s := range wanted {
		if refused.Reply.Code == int(s) {
			return true
		}
	}
	return false
}

// lowPort is the Remedy for a server that refuses every call.
const lowPort access.Advice = `the server may refuse clients with a port above 1023; the option "insecure" of its export allows them`

// withLowPort adds the remedy lowPort to err if the server may have refused the call because
// the client's port is above 1023. It returns any other error unchanged; a file that the user
// may not read has another status, "permission denied".
func withLowPort(err error) error {
	if hasStatus(err, statusPerm) || isAuth(err) {
		return access.WithRemedy(err, lowPort)
	}
	return err
}

var (
	errOutside     = sentinel.New("a symbolic link leads out of the export", fs.ErrPermission)
	errLinks       = sentinel.New("too many symbolic links", fs.ErrPermission)
	errNotRegular  = sentinel.New("it is not a regular file", fs.ErrNotExist)
	errNotDir      = sentinel.New("it is not a directory", fs.ErrNotExist)
	errIsDir       = sentinel.New("it is a directory", fs.ErrPermission)
	errNoExport    = sentinel.New("the server exports nothing there", fs.ErrNotExist)
	errExportList  = sentinel.New("this is the list of the exports of the server", fs.ErrPermission)
	errShorter     = sentinel.New("the file became shorter while it was read", io.ErrUnexpectedEOF)
	errReplaced    = sentinel.New("the resource has changed: it was removed or replaced in the meantime", access.ErrChanged)
	errRestart     = sentinel.New("the server restarted while the file was written", access.ErrTemporary)
	errNoPublic    = sentinel.New("the server has no public directory", errors.ErrUnsupported)
	errShortWrite  = sentinel.New("the server stored fewer bytes than were sent", access.ErrServer)
	errNoNameAbove = sentinel.New(`the path leads above its start by ".."`, fs.ErrPermission)
)
