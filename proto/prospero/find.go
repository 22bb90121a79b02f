package prospero

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/proto/internal/mediatype"
)

// A finding is the reply to a request about a target.
type finding struct {
	reply
	target      target
	text        []byte // the reply as received
	isDirectory bool   // the target is a directory
}

// ask sends a request about t to the server of t, and returns the parsed reply. If the server
// forwards the request, the error is an [*access.Moved]. A failure that the server reports is
// in the finding's err, not in the error.
func (c Client) ask(ctx context.Context, t target, request string) (finding, error) {
	text, err := c.do(ctx, t.address(), request)
	if err != nil {
		return finding{}, err
	}
	r, err := parseReply(text)
	if err != nil {
		return finding{}, err
	}
	return finding{reply: r, target: t, text: text}, r.moved(t)
}

// moved returns an [*access.Moved] if the reply to a request about t forwards it, or nil. If
// it forwards to a host that is invalid, the error wraps access.ErrProtocol.
//
// QUIRK: if a request for #ALL is forwarded, the server of 1994 sends the attribute
// FORWARDING-POINTER and then a failure, instead of FORWARDED.
func (r reply) moved(t target) error {
	to := r.forwarded
	for _, v := range values(r.Attributes, "FORWARDING-POINTER") {
		if l, ok := parseLink(v); ok && to == nil {
			to = &l
		}
	}
	if to == nil {
		return nil
	}
	u := to.url(t.server)
	if u.IsZero() {
		return fmt.Errorf("forwarded to %q: %w", to.Host, access.ErrProtocol)
	}
	return &access.Moved{To: u, Permanent: true, Reply: &access.Reply{Text: "FORWARDED"}}
}

// find asks the server for the attributes of t and, if t is a directory, for its links. The
// error wraps fs.ErrNotExist if the server does not have t.
//
// QUIRK: the server of 1994 replies NOT-A-DIRECTORY for a plain object and also for an object
// that does not exist, so the attributes decide. For a directory that exists only in its
// database it sends no attributes, or replies NOT-FOUND.
func (c Client) find(ctx context.Context, t target) (finding, error) {
	f, err := c.ask(ctx, t, t.resolveRequest())
	switch {
	case err != nil:
		return finding{}, err
	case errors.Is(f.err, fs.ErrNotExist):
		return c.findDirectory(ctx, f)
	case errors.Is(f.err, errNotDir) && len(f.Attributes) > 0:
		return f, nil
	case errors.Is(f.err, errNotDir):
		return finding{}, refusal("FAILURE NOT-A-DIRECTORY", fs.ErrNotExist)
	case f.err != nil:
		return finding{}, f.err
	case len(f.text) == 0:
		return finding{}, errNothing
	}
	f.isDirectory = true
	return f, nil
}

// findDirectory asks for the links of a target that was not found, because it may be a
// directory that exists only in the server's database. If the target has no links either, the
// error is missing.err.
func (c Client) findDirectory(ctx context.Context, missing finding) (finding, error) {
	f, err := c.ask(ctx, missing.target, missing.target.listRequest())
	if err != nil {
		return finding{}, err
	}
	if f.err != nil || len(f.links) == 0 {
		return finding{}, missing.err
	}
	f.isDirectory = true
	return f, nil
}

// methodError returns nil if the contents of the object can be fetched over Prospero. It
// returns an [*access.Moved] if the server prefers another protocol for the object, and
// errNoMethod if the client supports no access method of the object. It returns nil for an
// object without access methods, because the object may have contents.
func (f finding) methodError() error {
	targets := methodTargets(f.Attributes, f.target.link(), f.target.server)
	names := methodNames(f.Attributes)
	switch {
	case len(targets) == 0 && names != "":
		return fmt.Errorf("%w: it has %s", errNoMethod, names)
	case len(targets) == 0 || targets[0].isContents:
		return nil
	}
	return &access.Moved{To: targets[0].url, Reply: &access.Reply{Text: "ACCESS-METHOD " + targets[0].name}}
}

// link returns a link to t on its own server, from which parseMethod takes the empty parts of
// an access method.
func (t target) link() Link {
	return Link{HostType: "INTERNET-D", Host: "LOCALHOST", HsonameType: t.nameType, Hsoname: t.hsoname, Version: t.version}
}

// directoryType is the media type of a directory.
const directoryType = "application/x-prospero-directory"

// mediaType returns the media type of the target: directoryType for a directory, or else the
// type that the attributes or the extension of the name tell; "" if they tell none.
func (f finding) mediaType() string {
	if f.isDirectory {
		return directoryType
	}
	return mediaType(f.Attributes, f.target.hsoname)
}

// mediaType returns the media type that the attribute OBJECT-INTERPRETATION implies, or else
// the media type of the extension of name; "" if neither is known.
func mediaType(attributes []Attribute, name string) string {
	for _, v := range values(attributes, "OBJECT-INTERPRETATION") {
		interpretation := strings.Join(v, " ")
		for _, t := range []struct{ prefix, media string }{
			{"DOCUMENT TEXT", "text/plain"},
			{"DOCUMENT POSTSCRIPT", "application/postscript"},
			{"IMAGE GIF", "image/gif"},
			{"IMAGE JPEG", "image/jpeg"},
			{"IMAGE PNG", "image/png"},
			{"DATA", "application/octet-stream"},
		} {
			if interpretation == t.prefix || strings.HasPrefix(interpretation, t.prefix+" ") {
				return t.media
			}
		}
	}
	return mediatype.ByName(name)
}

// sizeOf returns the number of bytes in the attribute SIZE, such as "116 bytes". It returns -1
// if the attribute is missing, malformed or in another unit.
func sizeOf(attributes []Attribute) int64 {
	number, unit, _ := strings.Cut(value(attributes, "SIZE"), " ")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || unit != "bytes" && unit != "" {
		return -1
	}
	return n
}

// modTime returns the time in the attribute LAST-MODIFIED, such as "19940517120000Z". It
// returns the zero time if the attribute is missing or malformed.
func modTime(attributes []Attribute) time.Time {
	t, err := time.Parse("20060102150405Z", value(attributes, "LAST-MODIFIED"))
	if err != nil {
		return time.Time{}
	}
	return t
}
