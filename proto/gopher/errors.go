package gopher

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"

	"locus/access"
	"locus/url"
)

const (
	maxError     = 8 << 10 // octets of a server's error that are kept
	maxErrorLine = 1 << 10 // octets of the line of a menu that tells one
)

var (
	errRefused  = errors.New("the server refuses the request")
	errTryLater = access.Reason("the item is not available now: try again later", access.ErrTemporary)
)

// plusFailure reads the text of an error of Gopher+, whose header was h:
//
//	code [text] <administrator> CR LF  lines for the user
//
// An error that breaks off is one nevertheless.
func plusFailure(r *bufio.Reader, h header) error {
	data, err := io.ReadAll(io.LimitReader(h.frame(r), maxError))
	if err != nil && len(data) == 0 {
		return err
	}
	said := strings.TrimRight(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	var code int
	text := said
	if digits := strings.TrimLeft(said, "0123456789"); len(said)-len(digits) == 1 {
		code, text = int(said[0]-'0'), strings.TrimPrefix(digits, " ")
	}
	reply := access.Reply{Code: code, Text: text}
	return &access.Refusal{Reply: reply, Means: reason(code, text, &reply)}
}

// reason says what an error of Gopher+ means. The codes are those of the memo:
// the item is not available (1), not now (2), or has moved (3).
func reason(code int, text string, reply *access.Reply) error {
	switch code {
	case 2:
		return errTryLater
	case 3:
		if to, ok := newPlace(text); ok {
			return &access.Moved{To: to, Permanent: true, Reply: reply}
		}
	case 1:
		if err := reasonOf(text); !errors.Is(err, errRefused) || strings.Contains(strings.ToLower(text), "malformed") {
			return err
		}
		return fs.ErrNotExist
	}
	return reasonOf(text)
}

// newPlace finds the descriptor of the place that an item has moved to.
func newPlace(text string) (url.URL, bool) {
	for line := range strings.Lines(text) {
		e := parseItem(strings.TrimRight(line, "\r\n")).entry('1')
		if !e.URL.IsZero() {
			return e.URL, true
		}
	}
	return url.URL{}, false
}

// reasonOf reads the text of an error, all there is in plain Gopher.
//
// QUIRK: "does not exist" is what Minnesota gopherd and pygopherd say, "not
// found" gophernicus, "cannot access" Minnesota gopherd of a directory.
func reasonOf(text string) error {
	text = strings.ToLower(text)
	for _, said := range []struct {
		words  string
		reason error
	}{
		{"does not exist", fs.ErrNotExist},
		{"not found", fs.ErrNotExist},
		{"no such", fs.ErrNotExist},
		{"cannot access", fs.ErrNotExist},
		{"denied", fs.ErrPermission},
		{"forbidden", fs.ErrPermission},
		{"not allowed", fs.ErrPermission},
	} {
		if strings.Contains(text, said.words) {
			return said.reason
		}
	}
	return errRefused
}

// menuError returns the error that the answer consists of: one line of a menu,
// of type 3 or at the host "error.host", whatever type of item was asked for.
//
//   - QUIRK: Minnesota gopherd gives such a line the type 0, with its error.host.
//     Pygopherd ends it with the close.
//   - QUIRK: gophernicus says "Error: …" in words that are no line of a menu, so
//     that only a menu can be told from it; then comes its footer.
func (l *link) menuError(wantsMenu bool) error {
	first, err := l.r.Peek(1)
	if err != nil || !strings.Contains("03E", string(first)) {
		return ignoreEnd(err)
	}
	line, err := peekLine(l.r, 0, maxErrorLine)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if said, ok := bytes.CutPrefix(line, []byte("Error: ")); ok && wantsMenu && !bytes.Contains(line, []byte("\t")) {
		text := string(bytes.TrimSpace(said))
		return &access.Refusal{Reply: access.Reply{Text: text}, Means: reasonOf(text)}
	}
	item, isError := errorLine(line)
	if !isError {
		return nil
	}
	for from := len(line); from < maxError; {
		more, err := peekLine(l.r, from, maxErrorLine)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(more) == 0 || string(bytes.TrimRight(more, "\r\n")) == "." {
			return &access.Refusal{Reply: access.Reply{Text: item.Title}, Means: reasonOf(item.Title)}
		}
		if more[0] != 'i' {
			return nil
		}
		from += len(more)
	}
	return nil
}

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func errorLine(line []byte) (Item, bool) {
	if bytes.Count(line, []byte("\t")) < 3 {
		return Item{}, false
	}
	item := parseItem(string(bytes.TrimRight(line, "\r\n")))
	return item, item.Type == '3' || item.Host == "error.host"
}
