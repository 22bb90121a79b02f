package web

import (
	"crypto/tls"
	"errors"
	"strings"

	"locus/internal/facts"
)

// SpokenBy returns the scheme that a server probably speaks, if a request for a URL of scheme
// failed with err because the server began its answer as a server of another protocol does. A
// server that speaks no TLS probably speaks the same protocol without it. It returns "" if err
// does not tell.
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
