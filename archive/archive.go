// Package archive stores fetched resources in WARC files (ISO 28500, WARC/1.1), and opens
// them again.
//
// A [Recorder] is an access.Engine around another one. A [Writer] writes its records:
//
//	w, err := archive.Create(root, "site.warc.gz", archive.Options{})
//	engine := archive.Recorder{Engine: engine, Writer: w}
//
// An [Archive] is an access.Engine that opens URLs from files. A [Reader] reads the records
// of any WARC file, and [WriteCDXJ] writes an index for other programs.
//
// Each record is compressed by itself, so that it can be opened without the others. A
// record that cannot be written whole is removed from the file. If the process is killed
// while it writes a record, that record is the last one, and [Create] removes it when it
// continues the file.
//
// Each byte is hashed only once. A record with a payload has the digest of the payload,
// WARC-Payload-Digest. The payload of a resource record is its whole block, so the record
// has the same digest as WARC-Block-Digest. A record without a payload has
// WARC-Block-Digest.
//
// Passwords are not written: see [Recorder].
//
// # How the pieces work together
//
// The [Recorder] gives the engine a Tap. For HTTP, each exchange on the wire becomes a
// request and a response record (exchange.go). For other protocols, the bytes that the
// caller reads become a resource record, and the commands become a metadata record
// (recorder.go, dialogue.go, attributes.go). Secrets are replaced before anything is
// written (mask.go). The bytes of a record are collected in a block (block.go), whose
// pieces a pipeline compresses at the same time (piece.go, pipeline.go). A large block is
// written to the end of the archive while it still arrives (rest.go). The [Writer] adds the
// fields (fields.go, format.go), keeps an index, and writes the index beside the archive
// (cdxj.go).
//
// The [Reader] reads the records of a file. An [Archive] makes an index of them, and
// replays a capture as a resource (replay.go) or as a response for the client of a proxy
// (proxy.go).
//
// Notable divergences:
//   - WARC/1.1 §5.9: the payload of a response is everything after its header, with the
//     chunks of a transfer coding, because all known programs read it in this way.
//   - WARC/1.1 §6.3: the values of secret header fields are replaced, and interim responses
//     (1xx) are left out.
//   - WARC/1.1 §6.3: the response to a HEAD is a metadata record, because readers would
//     take a response record for an empty page.
package archive

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/internal/facts"
	"locus/scheme"
	"locus/url"
)

// Types of records (WARC/1.1 §6).
const (
	typeInfo     = "warcinfo"
	typeRequest  = "request"
	typeResponse = "response"
	typeResource = "resource"
	typeMetadata = "metadata"
	typeRevisit  = "revisit"
)

// Media types of the blocks of records.
const (
	mediaRequest  = "application/http;msgtype=request"
	mediaResponse = "application/http;msgtype=response"
	mediaFields   = "application/warc-fields"
	mediaDialogue = "text/plain;charset=utf-8"
	mediaListing  = "application/jsonl;profile=\"listing\""   // an entry in each line
	mediaEntry    = "application/json;profile=\"attributes\"" // see attributes
	mediaMoved    = "application/json;profile=\"redirect\""   // see redirect
)

// Profiles of revisit records (WARC/1.1 §6.7).
const (
	profileSamePayload = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	profileNotModified = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
)

// newID returns a new random WARC-Record-ID, in angle brackets.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])                      // Read does not return errors
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80 // RFC 9562 §5.4
	return fmt.Sprintf("<urn:uuid:%x-%x-%x-%x-%x>", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// dateFormat is the format of WARC-Date.
const dateFormat = "2006-01-02T15:04:05.000000Z"

// Target returns the text of the URL under which the resource of u is stored: u without its
// fragment and password, and for http and https without a user. For a titan URL it is the gemini
// URL of the page.
func Target(u url.URL) string {
	if v, err := scheme.ParseTitan(u); err == nil {
		return v.Page().URL().String()
	}
	drop := []url.PartName{url.Fragment, url.Password}
	if isWeb(u.Scheme()) {
		drop = append(drop, url.User)
	}
	kept, err := u.Without(drop...)
	if err != nil { // only for a URL without a host
		text, _, _ := strings.Cut(u.Redacted(), "#")
		return text
	}
	return kept.String()
}

// isWeb reports whether scheme is http or https.
func isWeb(scheme string) bool { return facts.Of(scheme).Has(facts.Web) }

// now returns the current time in UTC, in the precision of WARC-Date.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// fail returns err as an error about the operation and the URL of req.
func fail(req *access.Request, err error) error { return engine.Fail(req.Op.String(), req.URL, err) }
