package web

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"

	"locus/internal/facts"
	"locus/proto/internal/wire"
)

// withBeginning returns an error that quotes the first line of the server on conn, if err says that
// the line does not begin an HTTP response. Otherwise, or if conn is nil, it returns err.
//
// QUIRK: net/http quotes one word of such a line, but the first word tells which protocol the
// server speaks.
func withBeginning(err error, conn *wire.Sender) error {
	text := err.Error()
	if conn == nil || !strings.Contains(text, "malformed HTTP status code ") && !strings.Contains(text, "malformed HTTP version ") {
		return err
	}
	line, _, _ := strings.Cut(conn.Began(), "\r")
	line, _, _ = strings.Cut(line, "\n")
	if line == "" || strings.HasPrefix(line, "HTTP/") {
		return err
	}
	return fmt.Errorf("%smalformed HTTP response %q", malformedPrefix, line)
}

// SpokenBy guesses which scheme a server speaks. A request for a URL of scheme must have failed
// with err, which must not be nil. If the server began its answer with the greeting of another
// protocol, SpokenBy returns the scheme of that protocol. If the server answered without TLS, but
// not with a greeting, SpokenBy returns the scheme without TLS, such as "http" for "https". It
// returns "" if err shows neither.
//
// QUIRK: net/http has no type for the error about an answer that is not HTTP.
func SpokenBy(scheme string, err error) string {
	begin := ""
	record, isClear := errors.AsType[tls.RecordHeaderError](err)
	if _, reply, isOdd := strings.Cut(err.Error(), `malformed HTTP response "`); isOdd {
		begin = reply
	} else if isClear {
		begin = string(record.RecordHeader[:])
	}
	if greeted := facts.Greeted(begin); greeted != "" || !isClear {
		return greeted
	}
	return facts.Clear(scheme)
}
