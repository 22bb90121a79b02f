package nntp

import (
	"errors"
	"io/fs"

	"locus/access"
)

var (
	errNoServer = &hinted{
		unsupported("no news server is configured"),
		access.NeedNewsServer{},
	}
	// It may have a password.
	errServerName = &hinted{
		unsupported("the news server is named by neither host nor host:port"),
		access.Advice("name it alone, such as news.example.org:563"),
	}
	errNotGroup = access.Reason("only a newsgroup takes articles", errors.ErrUnsupported)
)

// An unsupported error is one of errors.ErrUnsupported: nothing was asked of
// anybody.
type unsupported string

func (u unsupported) Error() string        { return string(u) }
func (u unsupported) Is(target error) bool { return target == errors.ErrUnsupported }

// A hinted error says what the user can do about it.
type hinted struct {
	error
	remedy access.Remedy
}

func (h *hinted) Unwrap() error          { return h.error }
func (h *hinted) Suggest() access.Remedy { return h.remedy }

// meaning returns what a reply that says no means (RFC 3977 §3.2.1, RFC 4643);
// nil if it means nothing in particular.
func meaning(r access.Reply) error {
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

// remedy returns what the user can do about a reply that says no; nil if nothing
// is known.
func (s *session) remedy(r access.Reply, user string) access.Remedy {
	switch {
	case r.Code == 480 && user == "":
		return access.NeedLogin{Protocol: "nntp", Host: s.server}
	case r.Code == 483:
		return access.Advice("the server accepts it over TLS only: nntps://host/group")
	}
	return nil
}
