package transfer

import (
	"bufio"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
)

// A Digest is what the octets of a file must come to, by SHA-256 or SHA-512. The
// zero Digest fits every file.
type Digest struct {
	sum string // the octets of the digest: 32 or 64; "" for any
}

// ErrDigest says that a file is not the one that its digest is of.
var ErrDigest = errors.New("the digest is another one")

// ParseDigest reads a SHA-256 or a SHA-512 in hexadecimal digits.
func ParseDigest(text string) (Digest, error) {
	sum, err := hex.DecodeString(text)
	if err != nil || len(sum) != sha256.Size && len(sum) != sha512.Size {
		return Digest{}, fmt.Errorf("%q is no SHA-256 (64 hexadecimal digits) and no SHA-512 (128)", text)
	}
	return Digest{string(sum)}, nil
}

// IsZero reports whether d fits every file.
func (d Digest) IsZero() bool { return d.sum == "" }

// String returns the digest in hexadecimal digits; "" if d fits every file.
func (d Digest) String() string { return hex.EncodeToString([]byte(d.sum)) }

// Check reads r to its end. If its octets are not those of d the error wraps
// [ErrDigest].
func (d Digest) Check(r io.Reader) error {
	if d.IsZero() {
		return nil
	}
	h := d.hash()
	if _, err := io.Copy(h, r); err != nil {
		return err
	}
	got := h.Sum(nil)
	if subtle.ConstantTimeCompare(got, []byte(d.sum)) == 0 {
		return fmt.Errorf("%w: %x, not %s", ErrDigest, got, d)
	}
	return nil
}

func (d Digest) hash() hash.Hash {
	if len(d.sum) == sha512.Size {
		return sha512.New()
	}
	return sha256.New()
}

// maxSums is how many lines a file of digests may have.
const maxSums = 1_000_000

// ParseDigests reads a file such as SHA256SUMS: the digests of files by their
// names as they are written, which may be paths. Its lines are those of
// sha256sum(1) and sha512sum(1), plain or with --tag; empty lines, those that
// start with "#", and a signature around them, which is not checked, are passed
// over. The same name twice with two digests of
// one length is an error.
func ParseDigests(r io.Reader) (map[string]Digest, error) {
	all := make(map[string]Digest)
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSuffix(lines.Text(), "\r")
		if line == "-----BEGIN PGP SIGNATURE-----" {
			break
		}
		if line == "" || line[0] == '#' || line == "-----BEGIN PGP SIGNED MESSAGE-----" || strings.HasPrefix(line, "Hash: ") {
			continue
		}
		name, d, err := parseSum(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if before, ok := all[name]; ok && before != d && len(before.sum) == len(d.sum) {
			return nil, fmt.Errorf("line %d: %q has two digests", n, name)
		} else if ok && len(before.sum) > len(d.sum) {
			continue
		}
		if all[name] = d; len(all) > maxSums {
			return nil, fmt.Errorf("more than %d digests", maxSums)
		}
	}
	return all, lines.Err()
}

// parseSum reads one line:
//
//	e3b0c442…855  name
//	e3b0c442…855 *name
//	\e3b0c442…855  a\nname
//	SHA256 (name) = e3b0c442…855
func parseSum(line string) (name string, d Digest, err error) {
	line, escaped := strings.CutPrefix(line, `\`)
	sum, rest, ok := strings.Cut(line, " ")
	if sum == "SHA256" || sum == "SHA512" {
		var tagged bool
		i := strings.LastIndex(rest, ") = ")
		if rest, tagged = strings.CutPrefix(rest, "("); !tagged || i < 1 {
			return "", Digest{}, errors.New(`want "SHA256 (name) = digest"`)
		}
		name, sum = rest[:i-1], rest[i-1+len(") = "):]
	} else if ok && rest != "" && (rest[0] == ' ' || rest[0] == '*') {
		name = rest[1:]
	}
	if name == "" {
		return "", Digest{}, errors.New("want a digest, two spaces, and a name")
	}
	if escaped {
		name = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r").Replace(name)
	}
	d, err = ParseDigest(sum)
	return name, d, err
}
