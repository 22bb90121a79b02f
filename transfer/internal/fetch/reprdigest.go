package fetch

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"locus/access"
)

// serverDigests returns the SHA-256 and SHA-512 that the header of r gives for the resource, in
// Repr-Digest (RFC 9530 §3) and in the older Digest (RFC 3230). A malformed field is ignored (RFC
// 9651 §4.2).
func serverDigests(r *access.Resource) []Digest {
	return append(parseReprDigest(r.Header.Get("Repr-Digest")), parseOldDigest(r.Header.Get("Digest"))...)
}

// parseReprDigest parses a dictionary of byte sequences (RFC 9651 §3.2), and returns the digests
// that addDigest knows:
//
//	sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:, sha-512=:…:
func parseReprDigest(field string) (all []Digest) {
	for item := range strings.SplitSeq(field, ",") {
		name, value, _ := strings.Cut(strings.Trim(item, " \t"), "=")
		value, _, _ = strings.Cut(value, ";") // parameters
		value = strings.Trim(value, " \t")
		if len(value) < 2 || value[0] != ':' || value[len(value)-1] != ':' {
			continue
		}
		all = addDigest(all, name, value[1:len(value)-1])
	}
	return all
}

// parseOldDigest parses the list of RFC 3230, SHA-256=47DEQpj8…, whose names have any case. It
// returns the digests that addDigest knows.
func parseOldDigest(field string) (all []Digest) {
	for item := range strings.SplitSeq(field, ",") {
		name, value, _ := strings.Cut(strings.Trim(item, " \t"), "=")
		all = addDigest(all, strings.ToLower(name), value)
	}
	return all
}

// DigestSizes returns the sizes in bytes of the digests that this package can check, by their
// names in header fields: "sha-256" and "sha-512".
func DigestSizes() map[string]int {
	return map[string]int{"sha-256": sha256.Size, "sha-512": sha512.Size}
}

// addDigest appends the digest with this name and this value in base64 to all. It returns all
// unchanged if the name is unknown, if the value is malformed, or if all has maxServerDigests
// digests.
func addDigest(all []Digest, name, value string) []Digest {
	size, ok := DigestSizes()[name]
	sum, err := base64.StdEncoding.DecodeString(value)
	if !ok || err != nil || len(sum) != size || len(all) == maxServerDigests {
		return all
	}
	return append(all, Digest{string(sum)})
}

// maxServerDigests is how many digests of a field are read: there are two names.
const maxServerDigests = 8

// combineDigests sorts all, and returns each digest once, the longest first. Two different
// digests of one length are an error that wraps ErrDigest, because no file has both.
func combineDigests(all []Digest) ([]Digest, error) {
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i].sum, all[j].sum
		return len(a) > len(b) || len(a) == len(b) && a < b
	})
	all = slices.Compact(all)
	for i := 1; i < len(all); i++ {
		if len(all[i].sum) == len(all[i-1].sum) {
			return nil, fmt.Errorf("%w: the server names two of SHA-%d, %s and %s", ErrDigest, 8*len(all[i].sum), all[i-1], all[i])
		}
	}
	return all, nil
}

// checkServerDigests returns an error unless the file has every digest that a server sent. open
// returns a new reader of the whole file.
func (d *Download) checkServerDigests(open func() io.Reader) error {
	for _, one := range d.fromServer {
		if one == d.Digest {
			continue
		}
		if err := one.Check(open()); err != nil {
			return fmt.Errorf("the digest in the server's header: %w", err)
		}
	}
	return nil
}
