package transfer

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"locus/access"
)

// A fielder is a Sys with the header of a response.
type fielder interface{ Field(name string) string }

// serverDigest returns the digest that the server says the resource has, by Repr-Digest
// (RFC 9530 §3) or the older Digest (RFC 3230): the longest of SHA-256 and SHA-512. The zero
// Digest: none. A field that is malformed says nothing, as RFC 9651 §4.2 wants.
func serverDigest(r *access.Resource) Digest {
	reply, ok := r.Sys.(fielder)
	if !ok {
		return Digest{}
	}
	if d := parseReprDigest(reply.Field("Repr-Digest")); !d.IsZero() {
		return d
	}
	return parseOldDigest(reply.Field("Digest"))
}

// parseReprDigest parses a dictionary of byte sequences (RFC 9651 §3.2):
//
//	sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:, sha-512=:…:
func parseReprDigest(field string) (best Digest) {
	for item := range strings.SplitSeq(field, ",") {
		name, value, _ := strings.Cut(strings.Trim(item, " \t"), "=")
		value, _, _ = strings.Cut(value, ";") // parameters
		value = strings.Trim(value, " \t")
		if len(value) < 2 || value[0] != ':' || value[len(value)-1] != ':' {
			continue
		}
		best = longer(best, name, value[1:len(value)-1])
	}
	return best
}

// parseOldDigest parses the list of RFC 3230: SHA-256=47DEQpj8…, whose names have any case.
func parseOldDigest(field string) (best Digest) {
	for item := range strings.SplitSeq(field, ",") {
		name, value, _ := strings.Cut(strings.Trim(item, " \t"), "=")
		best = longer(best, strings.ToLower(name), value)
	}
	return best
}

// digestSizes are the sizes in bytes of the digests that are checked, by name.
var digestSizes = map[string]int{"sha-256": sha256.Size, "sha-512": sha512.Size}

// longer returns the digest with that name and value in base64 if it is longer than best.
func longer(best Digest, name, value string) Digest {
	size, ok := digestSizes[name]
	sum, err := base64.StdEncoding.DecodeString(value)
	if !ok || err != nil || len(sum) != size || size <= len(best.sum) {
		return best
	}
	return Digest{string(sum)}
}

// checkServerDigest returns an error if r has not the digest that the server sent.
func (d *download) checkServerDigest(r io.Reader) error {
	if d.fromServer.IsZero() || d.fromServer == d.Digest {
		return nil
	}
	if err := d.fromServer.Check(r); err != nil {
		return fmt.Errorf("the server sent other bytes than its header says: %w", err)
	}
	return nil
}
