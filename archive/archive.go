// Package archive keeps what was fetched in WARC files (ISO 28500, WARC/1.1), and opens
// it again.
//
// A [Recorder] is an access.Engine around another. A [Writer] writes what it records:
//
//	w, err := archive.Create(root, "site.warc.gz", archive.Options{})
//	engine := archive.Recorder{Engine: engine, Writer: w}
//
// An [Archive] is an access.Engine that opens URLs from files. A [Reader] reads the records
// of any WARC file, and [WriteCDXJ] writes an index for other programs.
//
// A record is compressed by itself. It is in the file as a whole or not at all, unless
// the process is killed while it is written: then it is the last one, and [Create] removes
// it when it continues the file.
//
// Each byte is hashed once. A record with a payload has the digest of that, WARC-Payload-Digest,
// and of a resource it is also that of the block. Every other record has WARC-Block-Digest.
//
// No password is written: see [Recorder].
//
// Notable divergences:
//   - WARC/1.1 §5.9: the payload of a response is what follows its header, with the
//     chunks of a transfer coding, as all known programs take it.
//   - WARC/1.1 §6.3: values of header fields that are secrets are replaced, and interim
//     responses (1xx) are left out.
//   - WARC/1.1 §6.3: the response to a HEAD is a metadata record. As a response record, it
//     would be taken for an empty page.
package archive

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/internal/facts"
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

// newID returns a new WARC-Record-ID.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])                      // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80 // RFC 9562 §5.4
	return fmt.Sprintf("<urn:uuid:%x-%x-%x-%x-%x>", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// dateFormat is that of WARC-Date.
const dateFormat = "2006-01-02T15:04:05.000000Z"

// Target returns the URL under which what u names is kept, as text: without fragment and
// password, and for http and https without a user.
func Target(u url.URL) string {
	drop := []url.PartName{url.Fragment, url.Password}
	if isWeb(u.Scheme()) {
		drop = append(drop, url.User)
	}
	kept, err := u.Without(drop...)
	if err != nil { // only of a URL without a host
		text, _, _ := strings.Cut(u.Redacted(), "#")
		return text
	}
	return kept.String()
}

func isWeb(scheme string) bool { return facts.Of(scheme).Has(facts.Web) }

// now returns the time of a record.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// fail returns err as an error about the URL of req.
func fail(req *access.Request, err error) error { return engine.Fail(req.Op.String(), req.URL, err) }
