package prospero

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"locus/access"
	"locus/proto/internal/mediatype"
)

// A finding is what a server says about a target.
type finding struct {
	reply
	target    target
	text      []byte // the reply as it came
	directory bool
}

// ask sends a request about t. What forwards it is an [*access.Moved].
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

// moved returns where the object of a reply is now; nil if it is there.
//
// QUIRK: the server of 1994 gives FORWARDING-POINTER for #ALL, in place of
// FORWARDED, and a failure after it.
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
	u := to.url(t.place)
	if u.IsZero() {
		return fmt.Errorf("forwarded to %q: %w", to.Host, access.ErrProtocol)
	}
	return &access.Moved{To: u, Permanent: true, Reply: &access.Reply{Text: "FORWARDED"}}
}

// find asks what t is.
//
// QUIRK: the server of 1994 says that a plain object is not a directory, and the
// same of one that does not exist; that of a directory which exists in its
// database alone there are no attributes; and may say that it is not found.
func (c Client) find(ctx context.Context, t target) (finding, error) {
	f, err := c.ask(ctx, t, t.resolve())
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
	f.directory = true
	return f, nil
}

// findDirectory asks whether what was not found is a directory after all.
func (c Client) findDirectory(ctx context.Context, missing finding) (finding, error) {
	f, err := c.ask(ctx, missing.target, missing.target.list())
	if err != nil {
		return finding{}, err
	}
	if f.err != nil || len(f.links) == 0 {
		return finding{}, missing.err
	}
	f.directory = true
	return f, nil
}

// elsewhere returns where to get the object, if the server prefers another way
// to its contents over Prospero; an error if there is no way. One about which
// the server says nothing may have contents.
func (f finding) elsewhere() error {
	all := ways(f.Attributes, f.target.link(), f.target.place)
	names := methodNames(f.Attributes)
	switch {
	case len(all) == 0 && names != "":
		return fmt.Errorf("%w: it has %s", errNoMethod, names)
	case len(all) == 0 || all[0].contents:
		return nil
	}
	return &access.Moved{To: all[0].to, Reply: &access.Reply{Text: "ACCESS-METHOD " + all[0].name}}
}

// link returns what the empty parts of an access method stand for.
func (t target) link() Link {
	return Link{HostType: "INTERNET-D", Host: "LOCALHOST", HsonameType: t.nameType, Hsoname: t.hsoname, Version: t.version}
}

// contents gets the octets of an object.
func (c Client) contents(ctx context.Context, t target) ([]byte, error) {
	f, err := c.ask(ctx, t, t.contents())
	switch {
	case err != nil:
		return nil, err
	case f.err != nil:
		return nil, f.err
	}
	found := values(f.Attributes, "CONTENTS")
	if len(found) == 0 {
		return nil, errNoMethod
	}
	var data []byte
	for _, v := range found {
		switch {
		case len(v) == 2 && v[0] == "DATA":
			data = append(data, v[1]...)
		case len(v) == 3 && v[0] == "TAGGED":
			data = append(data, v[1]+": "+v[2]...)
		default:
			return nil, fmt.Errorf("contents that are neither DATA nor TAGGED: %w", access.ErrProtocol)
		}
	}
	return data, nil
}

// directoryType is the media type of a reply that lists a directory.
const directoryType = "application/x-prospero-directory"

func (f finding) mediaType() string {
	if f.directory {
		return directoryType
	}
	return mediaType(f.Attributes, f.target.hsoname)
}

func (f finding) modTime() time.Time { return modTime(f.Attributes) }

// mediaType reads OBJECT-INTERPRETATION; if it does not tell, the name may.
func mediaType(attributes []Attribute, name string) string {
	for _, v := range values(attributes, "OBJECT-INTERPRETATION") {
		said := strings.Join(v, " ")
		for _, t := range []struct{ interpretation, media string }{
			{"DOCUMENT TEXT", "text/plain"},
			{"DOCUMENT POSTSCRIPT", "application/postscript"},
			{"IMAGE GIF", "image/gif"},
			{"IMAGE JPEG", "image/jpeg"},
			{"IMAGE PNG", "image/png"},
			{"DATA", "application/octet-stream"},
		} {
			if said == t.interpretation || strings.HasPrefix(said, t.interpretation+" ") {
				return t.media
			}
		}
	}
	return mediatype.ByName(name)
}

// sizeOf reads SIZE, "116 bytes"; -1 if it does not tell.
func sizeOf(attributes []Attribute) int64 {
	number, unit, _ := strings.Cut(value(attributes, "SIZE"), " ")
	if unit != "bytes" && unit != "" {
		return -1
	}
	return octets(number)
}

// modTime reads LAST-MODIFIED, "19940517120000Z"; the zero time if it does not
// tell.
func modTime(attributes []Attribute) time.Time {
	t, err := time.Parse("20060102150405Z", value(attributes, "LAST-MODIFIED"))
	if err != nil {
		return time.Time{}
	}
	return t
}
