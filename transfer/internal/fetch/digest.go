package fetch

import (
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
)

// A Digest is the SHA-256 or SHA-512 that a file must have. The zero Digest accepts
// every file.
type Digest struct {
	sum string // 32 or 64 bytes; "" accepts every file
}

// ErrDigest says that a file does not have its digest.
var ErrDigest = errors.New("the digest does not match")

// ParseDigest parses a SHA-256 (64 hexadecimal digits) or a SHA-512 (128), in capital or small
// letters. Any other text is an error, also "".
func ParseDigest(text string) (Digest, error) {
	sum, err := hex.DecodeString(text)
	if err != nil || len(sum) != sha256.Size && len(sum) != sha512.Size {
		return Digest{}, fmt.Errorf("%q is neither a SHA-256 (64 hexadecimal digits) nor a SHA-512 (128)", text)
	}
	return Digest{string(sum)}, nil
}

// IsZero reports whether d accepts every file.
func (d Digest) IsZero() bool { return d.sum == "" }

// Len returns the length of the digest in bytes; 0 for the zero Digest.
func (d Digest) Len() int { return len(d.sum) }

// String returns the digest in hexadecimal digits; "" for the zero Digest.
func (d Digest) String() string { return hex.EncodeToString([]byte(d.sum)) }

// Check reads r to its end, and compares its bytes with d. If they do not match, the error
// wraps [ErrDigest]. The zero Digest returns nil and does not read r.
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

// hash returns a new SHA-512 or SHA-256, whichever d is.
func (d Digest) hash() hash.Hash {
	if len(d.sum) == sha512.Size {
		return sha512.New()
	}
	return sha256.New()
}
