package nntp

import (
	"errors"
	"io/fs"

	"locus/access"
)

var (
	errNoServer = access.WithRemedy(
		access.Reason("no news server is configured", errors.ErrUnsupported), access.NeedNewsServer)
	// It is not shown: it may have a password.
	errServerName = access.WithRemedy(
		access.Reason("the news server must be host or host:port", errors.ErrUnsupported),
		access.Advice("write it like news.example.org:563"))
	errNotGroup = access.Reason("articles can be posted to newsgroups only", errors.ErrUnsupported)
)

// replyError returns the error that a negative reply stands for (RFC 3977
// §3.2.1, RFC 4643). It returns nil if the code has no general meaning.
func replyError(r access.Reply) error {
	switch r.Code {
	case 400, 403, 436:
		return access.ErrTemporary
	case 411, 420, 421, 422, 423, 430:
		return fs.ErrNotExist
	case 440, 480, 481, 482, 483, 502:
		return fs.ErrPermission
	case 401, 500, 501, 503, 580:
		return errors.ErrUnsupported
	}
	return nil
}

// remedy returns what the user can do about a negative reply; nil if unknown.
func (s *session) remedy(r access.Reply, user string) access.Remedy {
	switch {
	case r.Code == 480 && user == "":
		return access.NeedLogin
	case r.Code == 483:
		return access.Advice("the server requires TLS: use nntps://host/group")
	}
	return nil
}
