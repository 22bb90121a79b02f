package gemini

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/mediatype"
	"locus/scheme"
	"locus/url"
)

// maxUnsized is the number of bytes of the longest content that Put accepts without its size. The content waits in
// memory, because a Titan request starts with the size.
const maxUnsized = 16 << 20

var (
	errOnlyUploads = engine.Reason("titan URLs are only for uploads", errors.ErrUnsupported)
	errOnlyReads   = engine.Reason("gemini URLs can only be read", errors.ErrUnsupported)
	errReplaces    = engine.Reason("a titan server cannot be told to keep a page that exists", errors.ErrUnsupported)
	errEmpty       = access.WithRemedy(
		engine.Reason("a titan server deletes a page if it gets empty content", errors.ErrUnsupported),
		access.Advice("delete the page, if that is what you want"),
	)
	errUnsized = access.WithRemedy(
		engine.Reason(fmt.Sprintf("the content has more than %d MiB, and titan needs its size in advance", maxUnsized>>20), access.ErrTooLong, errors.ErrUnsupported),
		access.Advice("store the content in a file, and upload the file"),
	)
)

// refuse returns the error for a request with an Op that the scheme of its URL does not have. The Remedy of a change of a
// gemini URL, and of reading a titan URL, is the URL of the same page in the other scheme.
func refuse(req *access.Request) error {
	isWrite := req.Op == access.Put || req.Op == access.Delete
	isRead := req.Op == access.Get || req.Op == access.Stat || req.Op == access.Ask
	if v, err := scheme.ParseTitan(req.URL); err == nil && isRead {
		return access.WithRemedy(errOnlyUploads, access.Advice("read the page at "+v.Page().URL().Redacted()))
	}
	if v, err := scheme.ParseGemini(req.URL); err == nil && isWrite {
		upload := scheme.Titan{Host: v.Host, Segments: v.Segments}.URL()
		return access.WithRemedy(errOnlyReads, access.Advice("use "+upload.Redacted()+", if the server takes uploads"))
	}
	if req.URL.Scheme() == "titan" && isRead {
		return errOnlyUploads
	}
	return errors.ErrUnsupported
}

// change executes Put or Delete of a titan URL. It returns the gemini URL of the changed page. It waits for the
// server's answer. An Offset, IfMatch and IfAbsent are unsupported.
func (c Client) change(ctx context.Context, req *access.Request) (url.URL, error) {
	v, err := scheme.ParseTitan(req.URL)
	if err != nil {
		return url.URL{}, err
	}
	if req.Offset > 0 || !req.IfMatch.IsZero() {
		return url.URL{}, errors.ErrUnsupported
	}
	if req.IfAbsent {
		page := v.Page().URL().Redacted()
		return url.URL{}, access.WithRemedy(errReplaces, access.Advice("see whether "+page+" exists; if not, upload without this condition"))
	}
	var content io.Reader
	if req.Op == access.Put {
		if content, v.Size, err = measure(req); err != nil {
			return url.URL{}, err
		}
		if v.Type.Text == "" {
			v.Type = typeOf(v.Segments)
		}
	} else {
		v.Type, v.Size = url.Part{}, url.Some("0")
	}
	if v.Token, err = tokenOf(ctx, v, req); err != nil {
		return url.URL{}, err
	}
	s, err := c.send(ctx, request{v.URL(), v.Host, content, secretsOf(v)})
	if err != nil {
		return url.URL{}, err
	}
	defer s.Close()
	return s.changed(v)
}

// measure returns the content of a Put and its size. It refuses an empty content, because the size 0 means Delete. It
// reads a content of unknown size into memory. The error is errUnsized if such a content has more than maxUnsized bytes.
func measure(req *access.Request) (content io.Reader, size url.Part, err error) {
	req = engine.Rewindable(req)
	content = engine.Content(req)
	n := req.Size
	if req.Body == nil {
		n = 0
	}
	if n < 0 {
		whole, err := io.ReadAll(io.LimitReader(content, maxUnsized+1))
		if err != nil {
			return nil, size, err
		}
		if len(whole) > maxUnsized {
			return nil, size, errUnsized
		}
		content, n = bytes.NewReader(whole), int64(len(whole))
	}
	if n == 0 {
		return nil, size, errEmpty
	}
	return content, url.Some(strconv.FormatInt(n, 10)), nil
}

// typeOf returns the media type for the extension of the last segment, which is the name of a page. For an unknown
// extension it is application/octet-stream. For a name without an extension it is absent, so that the server assumes
// text/gemini.
func typeOf(segments []string) url.Part {
	name := segments[len(segments)-1]
	known := mediatype.ByName(name)
	switch {
	case known != "":
		return url.Some(known)
	case strings.Contains(name, "."):
		return url.Some("application/octet-stream")
	}
	return url.Part{}
}

// tokenOf returns the token in v or, if v has none, the password of req.Login for the server. The token may be
// absent.
func tokenOf(ctx context.Context, v scheme.Titan, req *access.Request) (url.Part, error) {
	if v.Token.Present {
		return v.Token, nil
	}
	login, err := engine.Credentials(ctx, req, access.Challenge{URL: req.URL, Host: v.Name, Optional: true})
	return url.Part{Text: login.Password, Present: login.Password != ""}, err
}

// changed returns the gemini URL of the page that the server has changed: the target of a redirect, or else the page
// of v. It returns an error if the status is neither success nor a redirect.
func (s *session) changed(v scheme.Titan) (url.URL, error) {
	page := v.Page().URL()
	err := s.failure(page)
	if moved, ok := errors.AsType[*access.Moved](err); ok {
		return moved.To, nil
	}
	if errors.Is(err, access.ErrForm) {
		err = &engine.Refusal{
			Reply: access.Reply{Code: s.status, Text: s.hide(s.meta)},
			Means: engine.Reason("the server asks a question, which an upload cannot answer", errors.ErrUnsupported),
		}
	}
	if refusal, ok := errors.AsType[*engine.Refusal](err); ok && s.status/10 == 5 && refusal.Means == nil && !v.Token.Present {
		refusal.Remedy = access.Advice("if the server wants a token, end the URL in ;token= and the token")
	}
	return page, err
}

// secretsOf returns the token of v, escaped and decoded. Texts of the server that repeat the token must not show it.
func secretsOf(v scheme.Titan) []string {
	_, escaped, _ := strings.Cut(v.URL().String(), ";token=")
	return []string{escaped, v.Token.Text}
}
