package transfer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"locus/transfer/internal/fetch"
)

// A Digest is the SHA-256 or SHA-512 that a file must have. The zero Digest accepts
// every file.
type Digest struct{ is fetch.Digest }

// ParseDigest parses a SHA-256 (64 hexadecimal digits) or a SHA-512 (128), in capital or small
// letters. Any other text is an error, also "".
func ParseDigest(text string) (Digest, error) {
	d, err := fetch.ParseDigest(text)
	return Digest{d}, err
}

// IsZero reports whether d accepts every file.
func (d Digest) IsZero() bool { return d.is.IsZero() }

// String returns the digest in hexadecimal digits, or "" for the zero Digest.
func (d Digest) String() string { return d.is.String() }

// Check reads r to its end, and compares its bytes with d. If they do not match, the error wraps
// [ErrDigest]. The zero Digest returns nil and does not read r.
func (d Digest) Check(r io.Reader) error { return d.is.Check(r) }

// maxDigests is how many digests a file may have.
const maxDigests = 1_000_000

// Digests are digests of files by name, as a file such as SHA256SUMS has them. A name may be a
// path.
type Digests map[string]Digest

// Of returns the digest of the file with this name. If d does not have this name itself, Of uses
// the paths in d whose last element is name. The error is "no digest" if d has no such path either,
// and "several digests" if the digests of these paths differ. The error does not name the file, so
// the caller adds the name.
func (d Digests) Of(name string) (Digest, error) {
	found, ok := d[name]
	if ok {
		return found, nil
	}
	for file, digest := range d {
		if filepath.Base(file) != name {
			continue
		}
		if ok && digest != found {
			return Digest{}, errors.New("several digests")
		}
		found, ok = digest, true
	}
	if !ok {
		return Digest{}, errors.New("no digest")
	}
	return found, nil
}

// ParseDigests parses a file such as SHA256SUMS, and returns the digests by file name. A name stays
// as written, and may be a path. The lines have the formats of sha256sum(1) and sha512sum(1), plain
// or with --tag. Empty lines, comments ("#") and a signature around the lines are ignored; the
// signature is not checked. A SHA-512 replaces a SHA-256 of the same name. Two different digests of
// one kind for one name are an error.
func ParseDigests(r io.Reader) (Digests, error) {
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
		name, d, err := parseDigestLine(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if before, ok := all[name]; ok && before != d && before.is.Len() == d.is.Len() {
			return nil, fmt.Errorf("line %d: %q has two digests", n, name)
		} else if ok && before.is.Len() > d.is.Len() {
			continue
		}
		if all[name] = d; len(all) > maxDigests {
			return nil, fmt.Errorf("more than %d digests", maxDigests)
		}
	}
	return all, lines.Err()
}

// parseDigestLine parses one line in one of these forms. A backslash at the start says that the
// name has escapes, which are decoded:
//
//	e3b0c442…855  name
//	e3b0c442…855 *name
//	\e3b0c442…855  a\nname
//	SHA256 (name) = e3b0c442…855
func parseDigestLine(line string) (name string, d Digest, err error) {
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
		return "", Digest{}, errors.New("want a digest, two spaces and a name")
	}
	if escaped {
		name = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r").Replace(name)
	}
	d, err = ParseDigest(sum)
	return name, d, err
}
