package gopher

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
	"locus/url"
)

const (
	maxError     = 8 << 10 // limits the bytes of a server's error
	maxErrorLine = 1 << 10 // limits the error line of a menu
)

var (
	errRefused  = errors.New("the server refuses the request")
	errTryLater = sentinel.New("the item is not available now; try again later", access.ErrTemporary)
)

// readPlusError reads the text of a Gopher+ error with the header h from r, and returns it as an
// *engine.Refusal. It accepts a text that ends early. If no byte arrives, it returns the error
// of the connection.
//
//	code [text] <administrator> CR LF  lines for the user
func readPlusError(r *bufio.Reader, h header) error {
	data, err := io.ReadAll(io.LimitReader(h.body(r), maxError))
	if err != nil && len(data) == 0 {
		return err
	}
	message := strings.TrimRight(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	var code int
	text := message
	if rest := strings.TrimLeft(message, "0123456789"); len(message)-len(rest) == 1 {
		code, text = int(message[0]-'0'), strings.TrimPrefix(rest, " ")
	}
	reply := access.Reply{Code: code, Text: text}
	return &engine.Refusal{Reply: reply, Means: plusError(code, text, &reply)}
}

// plusError returns the error for a Gopher+ error with this code and text: fs.ErrNotExist for code
// 1, access.ErrTemporary for code 2, and *access.Moved for code 3 with a new location. For every
// other code, and for code 1 if the text says why, it returns the textError of text. The
// *access.Moved contains reply.
func plusError(code int, text string, reply *access.Reply) error {
	switch code {
	case 2:
		return errTryLater
	case 3:
		if to, ok := movedURL(text); ok {
			return &access.Moved{To: to, Permanent: true, Reply: reply}
		}
	case 1:
		if err := textError(text); !errors.Is(err, errRefused) || strings.Contains(strings.ToLower(text), "malformed") {
			return err
		}
		return fs.ErrNotExist
	}
	return textError(text)
}

// movedURL returns the URL of the first descriptor in text, the text of an error with code 3. It
// returns false if the text has no descriptor with a valid URL.
func movedURL(text string) (url.URL, bool) {
	for line := range strings.Lines(text) {
		e := parseItem(strings.TrimRight(line, "\r\n")).entry('1')
		if !e.URL.IsZero() {
			return e.URL, true
		}
	}
	return url.URL{}, false
}

// textError guesses the meaning of an error from its text, because an error of plain Gopher has
// only a text. It returns fs.ErrNotExist, fs.ErrPermission or, for any other text, errRefused.
//
// QUIRK: Minnesota gopherd and pygopherd say "does not exist", gophernicus says "not found". For a
// directory, Minnesota gopherd says "cannot access".
func textError(text string) error {
	text = strings.ToLower(text)
	has := func(words string) bool { return strings.Contains(text, words) }
	switch {
	case has("does not exist"), has("not found"), has("no such"), has("cannot access"):
		return fs.ErrNotExist
	case has("denied"), has("forbidden"), has("not allowed"):
		return fs.ErrPermission
	}
	return errRefused
}

// menuError returns the error in the reply if the reply is one error line, and nil if it is not.
// Such a line has type 3 or the host "error.host", whatever type was requested. wantsMenu says
// whether a menu was requested. menuError does not consume the reply.
//
//   - QUIRK: Minnesota gopherd sends the line with type 0 and error.host.
//     Pygopherd ends it with the close, without a period.
//   - QUIRK: gophernicus sends "Error: …" and then its footer. That is not a menu
//     line, so it is recognized only if a menu was requested.
func (t *transaction) menuError(wantsMenu bool) error {
	first, err := t.r.Peek(1)
	if err != nil || !strings.Contains("03E", string(first)) {
		if access.IsEnd(err) {
			return nil
		}
		return err
	}
	line, err := peekLine(t.r, 0, maxErrorLine)
	if err != nil && !access.IsEnd(err) {
		return err
	}
	if message, ok := bytes.CutPrefix(line, []byte("Error: ")); ok && wantsMenu && !bytes.Contains(line, []byte("\t")) {
		text := string(bytes.TrimSpace(message))
		return &engine.Refusal{Reply: access.Reply{Text: text}, Means: textError(text)}
	}
	item, isError := parseErrorLine(line)
	if !isError {
		return nil
	}
	for from := len(line); from < maxError; {
		more, err := peekLine(t.r, from, maxErrorLine)
		if err != nil && !access.IsEnd(err) {
			return err
		}
		if len(more) == 0 || string(bytes.TrimRight(more, "\r\n")) == "." {
			return &engine.Refusal{Reply: access.Reply{Text: item.Title}, Means: textError(item.Title)}
		}
		if more[0] != 'i' {
			return nil
		}
		from += len(more)
	}
	return nil
}

// parseErrorLine parses a menu line. isError is false if the line is not an error line, or not a
// menu line.
func parseErrorLine(line []byte) (item Item, isError bool) {
	if bytes.Count(line, []byte("\t")) < 3 {
		return Item{}, false
	}
	item = parseItem(string(bytes.TrimRight(line, "\r\n")))
	return item, item.Type == '3' || item.Host == "error.host"
}
