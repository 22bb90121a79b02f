package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/wire"
	"locus/url"
)

// NOTE: Put on a WebDAV server works in this order, because some servers write a PUT into the file
// itself, and a connection that breaks off would leave half a file under its name.
//
//	OPTIONS   the directory    does it have MOVE? (once for each directory)
//	PUT       NAME.part-…      sends the file
//	PROPFIND  NAME.part-…      is it whole?
//	MOVE      to NAME          without overwriting
//	PROPFIND  NAME             only if NAME exists: is it a file?
//	MOVE      to NAME          overwriting, because a MOVE over a directory would delete its content
//
// If the server refuses MOVE, or refuses the temporary name and has stored no file under it, the file and all later
// files of that directory are sent by a plain PUT. A body of unknown length may come from a pipe, which cannot be sent
// again. Therefore an empty file is moved as a trial before the first such body in a directory.
//
// QUIRK: golang.org/x/net/webdav, rclone and the webdav-server of npm write into the file. Apache and lighttpd
// do not, and get the same requests, because their responses do not tell.

// cleanupTime limits the time for removing a temporary file after a failure.
const cleanupTime = 3 * time.Second

// A moveState tells whether a directory has MOVE.
type moveState uint8

const (
	moveUnknown  moveState = iota
	moveRefused            // the server has no WebDAV, or has refused a temporary name or MOVE
	moveOffered            // OPTIONS has it
	moveVerified           // a MOVE has succeeded
)

// A davPut is a Put on a server that may have WebDAV.
type davPut struct {
	*Client
	req       *access.Request
	up        *upload
	dir       url.URL
	temporary url.URL
	isBroken  bool  // the PUT of the temporary file got no response
	refused   error // the error of the PUT of the temporary file, if the server may not want its name
}

// putWhole stores a file under a temporary name, and moves it to its name. stored is false without an error if the file
// should be sent by a plain PUT. A Put with IfMatch is plain, because only the server can compare the version and store
// the file in one step.
func (c *Client) putWhole(ctx context.Context, req *access.Request, up *upload) (stored bool, err error) {
	p := &davPut{Client: c, req: req, up: up}
	name := lastName(req.URL)
	if _, hasQuery := req.URL.Query(); hasQuery || name == "" || strings.HasSuffix(req.URL.Path(), "/") || !req.IfMatch.IsZero() {
		return false, nil
	}
	if p.dir, err = sibling(req.URL, ""); err != nil {
		return false, nil //nolint:nilerr // the plain PUT returns it
	}
	if p.temporary, err = sibling(req.URL, engine.PartName(name, cmp.Or(req.Part, engine.NewPart()))); err != nil {
		return false, nil //nolint:nilerr // as before
	}
	if has, err := p.hasMove(ctx); !has || err != nil {
		return false, err
	}
	return p.storeAndMove(ctx)
}

// sibling returns the URL of a name in the directory of u, without a fragment. The name "" gives the URL of the
// directory.
func sibling(u url.URL, name string) (url.URL, error) {
	u, err := u.Without(url.Fragment)
	if err != nil {
		return u, err
	}
	path := u.Path()
	return u.With(url.Path, url.Some(path[:strings.LastIndexByte(path, '/')+1]+url.Escape(name, url.RFC3986.Unreserved())))
}

// hasMove reports whether the server can move files in the directory. It asks the server once for each directory. If
// the size of the body is unknown, so that the body may not be sent again, it also tries the move with an empty file.
func (p *davPut) hasMove(ctx context.Context) (bool, error) {
	state := p.moves.get(p.dir.String())
	if state == moveUnknown {
		var err error
		if state, err = p.askOptions(ctx); err != nil {
			return false, err
		}
		p.moves.set(p.dir.String(), state)
	}
	if state == moveOffered && p.up.size < 0 {
		if err := p.tryMove(ctx); err != nil {
			return false, err
		}
		state = p.moves.get(p.dir.String())
	}
	return state >= moveOffered, nil
}

// askOptions asks the server for the methods of the directory (RFC 4918 §10.1). The state is moveUnknown if the
// directory may have MOVE later, or if the request failed. Only a *wire.IdleError or the end of ctx is an error.
func (p *davPut) askOptions(ctx context.Context) (moveState, error) {
	resp, err := p.send(ctx, http.MethodOptions, &access.Request{URL: p.dir, Login: p.req.Login}, lastRequest)
	if _, isSilent := errors.AsType[*wire.IdleError](err); isSilent || ctx.Err() != nil {
		return moveUnknown, err
	}
	if err != nil {
		return moveUnknown, nil //nolint:nilerr // a server may break off at a method that it does not know
	}
	discard(ctx, resp)
	allowed := resp.Header.Values("Allow")
	switch status := resp.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusTooManyRequests, status >= 500 && status != http.StatusNotImplemented:
		return moveUnknown, nil
	case status/100 != 2 || !hasToken(resp.Header.Values("DAV"), "1"):
		return moveRefused, nil
	case len(allowed) > 0 && !hasToken(allowed, "MOVE"):
		return moveUnknown, nil // golang.org/x/net/webdav has it once the directory exists
	}
	return moveOffered, nil
}

// lastRequest returns a GET request to the URL's own server, after which the connection is not used again. The body of
// a PUT can be sent only once, and a server may close a connection that it seems to keep.
func lastRequest(u url.URL) (*http.Request, error) {
	r, err := originRequest(u)
	if err == nil {
		r.Close = true
	}
	return r, err
}

// hasToken reports whether one of the comma-separated lists has the token. Case matters.
func hasToken(lists []string, token string) bool {
	return slices.ContainsFunc(strings.Split(strings.Join(lists, ","), ","), func(one string) bool { return strings.TrimSpace(one) == token })
}

// tryMove uploads an empty file and moves it, to find out whether the server refuses, and records the result in moves.
// It removes the file.
func (p *davPut) tryMove(ctx context.Context) error {
	trial := *p
	trial.req = &access.Request{Op: access.Put, URL: p.temporary, Login: p.req.Login}
	trial.up = newUpload(trial.req)
	defer trial.up.stop(ctx)
	var err error
	if trial.temporary, err = sibling(p.temporary, engine.PartName(lastName(p.req.URL), engine.NewPart())); err != nil {
		return err
	}
	isMoved, err := trial.storeAndMove(ctx)
	if isMoved {
		p.remove(ctx, p.temporary)
	}
	return err
}

// storeAndMove uploads the file under the temporary name, and moves it to its name. stored is false if either step
// fails. The error is then nil only if the server refused the step and the body can be sent again, so that the caller
// can try a plain PUT.
func (p *davPut) storeAndMove(ctx context.Context) (stored bool, err error) {
	err = p.storeTemporary(ctx)
	if err == nil {
		err = p.moveTo(ctx)
	}
	if err == nil {
		p.moves.set(p.dir.String(), moveVerified)
		return true, nil
	}
	wasThere := p.remove(ctx, p.temporary)
	if !errors.Is(err, errRefusedStep) {
		return false, err
	}
	if p.refused != nil && wasThere {
		// QUIRK: golang.org/x/net/webdav answers 405 if the disk is full.
		return false, p.refused
	}
	p.moves.set(p.dir.String(), moveRefused)
	if err := p.up.rewind(ctx); err != nil {
		return false, fmt.Errorf("%w: the server refuses to move a file: %w", access.ErrTemporary, err) // the next Put is plain
	}
	return false, nil
}

// errRefusedStep says that a server does not want a temporary name, or MOVE. A plain PUT may succeed then, or
// fails with an error that tells more.
var errRefusedStep = errors.New("the server refused a step of the upload")

// checkStep returns nil if resp says that a step of the Put succeeded. If the status concerns the file, the user or the
// state of the server, the error is the error of the status. For any other status it is errRefusedStep.
func (p *davPut) checkStep(resp *http.Response) error {
	switch status := resp.StatusCode; status {
	case http.StatusOK, http.StatusCreated, http.StatusNoContent:
		return nil
	case http.StatusUnauthorized, http.StatusPreconditionFailed, http.StatusInsufficientStorage, http.StatusRequestTimeout,
		http.StatusTooEarly, http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return checkStatus(p.req, resp)
	}
	return errRefusedStep
}

// storeTemporary sends the file under its temporary name, and checks its size if the server tells it. It sets isBroken
// if there is no response, and refused if the server refuses the file. The error for a wrong size wraps
// access.ErrTemporary. The error for a refusal is the error of checkStep.
func (p *davPut) storeTemporary(ctx context.Context) error {
	part := *p.req
	part.URL, part.IfAbsent = p.temporary, false
	resp, err := p.sendChange(ctx, &part, p.up) //nolint:bodyclose // sendChange has closed it
	if err != nil {
		p.isBroken = true
		return err
	}
	if err := p.checkStep(resp); err != nil {
		p.refused = checkStatus(p.req, resp)
		return err
	}
	found, err := p.properties(ctx, p.temporary)
	if want := p.up.length(); err == nil && found.size >= 0 && want >= 0 && found.size != want {
		return fmt.Errorf("%w: it has %d of %d bytes", access.ErrTemporary, found.size, want)
	}
	return nil // a server that does not describe the file may still move it
}

// moveTo moves the temporary file to its name. It replaces an existing file, unless the Put has IfAbsent. The error is
// errRefusedStep if the name is a directory, or if the server does not tell whether it is. The error for any other
// refusal is the error of checkStep.
func (p *davPut) moveTo(ctx context.Context) error {
	resp, err := p.move(ctx, "F") //nolint:bodyclose // move closes the body
	if err == nil && resp.StatusCode == http.StatusPreconditionFailed && !p.req.IfAbsent {
		if found, err := p.properties(ctx, p.req.URL); err != nil || found.isDir {
			return errRefusedStep // a plain PUT replaces no directory
		}
		resp, err = p.move(ctx, "T") //nolint:bodyclose // move closes the body
	}
	if err != nil {
		return err
	}
	return p.checkStep(resp)
}

// move sends a MOVE of the temporary file to its name (RFC 4918 §9.9), and returns the response, whose body is closed.
// overwrite is "T" or "F". The Destination is a whole URL, because Apache refuses a path.
func (p *davPut) move(ctx context.Context, overwrite string) (*http.Response, error) {
	to, err := originRequest(p.req.URL)
	if err != nil {
		return nil, err
	}
	destination := to.URL.RequestURI()
	if strings.HasPrefix(destination, "/") {
		destination = to.URL.Scheme + "://" + to.URL.Host + destination
	}
	resp, err := p.sendWith(ctx, "MOVE", &access.Request{URL: p.temporary, Login: p.req.Login}, originRequest, func(out *http.Request) {
		out.Header.Set("Destination", destination)
		out.Header.Set("Overwrite", overwrite)
	})
	if err != nil {
		return nil, err
	}
	discard(ctx, resp)
	return resp, nil
}

// remove deletes a temporary file, also if ctx is done, and reports whether the server had it. It ignores errors,
// because the caller has one already.
//
// QUIRK: golang.org/x/net/webdav locks a file until it notices that the PUT has broken off, or makes the file only
// then. So remove tries again after a PUT without a response.
func (p *davPut) remove(ctx context.Context, u url.URL) (wasThere bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	for wait := cleanupTime / 32; ; wait *= 2 {
		_, err := p.change(ctx, &access.Request{Op: access.Delete, URL: u, Login: p.req.Login})
		if _, isRefused := errors.AsType[*engine.Refusal](err); !isRefused || !p.isBroken {
			return err == nil
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return false
		}
	}
}

// davProperties are the properties of one resource.
type davProperties struct {
	size  int64 // -1 if unknown
	isDir bool
}

// properties asks for the properties of one resource by PROPFIND. The size is -1 if the server does not tell it.
func (p *davPut) properties(ctx context.Context, u url.URL) (davProperties, error) {
	resp, err := p.sendPropfind(ctx, &access.Request{URL: u, Login: p.req.Login}, "0")
	if err != nil {
		return davProperties{}, err
	}
	defer discard(ctx, resp)
	if resp.StatusCode != http.StatusMultiStatus {
		return davProperties{}, checkStatus(&access.Request{URL: u}, resp)
	}
	node, err := newXMLReader(&body{resp.Body, u, resp.ContentLength}).element("response", "multistatus")
	if err != nil {
		return davProperties{}, err
	}
	found := davProperties{size: -1}
	for prop := range okProperties(node) {
		found.isDir = found.isDir || prop.child("resourcetype").child("collection") != nil
		if n, err := strconv.ParseInt(strings.TrimSpace(prop.child("getcontentlength").text()), 10, 64); err == nil && n >= 0 {
			found.size = n
		}
	}
	return found, nil
}
