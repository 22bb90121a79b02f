package cli

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"locus/proto/pin"
)

// pinsName is the name of the file with the certificates of servers, in the folder for state or in its folder strangers. Each line is a pin:
//
//	gemini.example:1965 3b1f… 2026-11-29T10:00:00Z 2031-11-29T10:00:00Z
//	address             fingerprint  since         expires
//
// The last line of an address counts. Empty lines have no meaning. A process that adds a line looks afterwards whether
// another process has added one since it read the file. The first of them wins, and gets another line if it is not the
// last.
const pinsName = "certificates"

// maxPins is the size in bytes that the file of pins may have before another line is added. About 30 000 servers fit,
// several times as many as Gemini has. Each new server costs two readings of the file.
const maxPins = 4 << 20

// StrangersPins returns pins for a gateway whose clients are strangers. They are kept apart from the pins of the user,
// so that strangers cannot fill the file of the user.
func (e *Env) StrangersPins() *pin.Pins {
	dir := e.StateDir()
	if dir != "" {
		dir = filepath.Join(dir, "strangers")
	}
	return e.newPins(dir, nil)
}

// newPins returns pins that are kept in a file in the folder dir, or in memory if dir is "". accepted are the
// fingerprints of --pin. It warns once when the file of pins is full.
func (e *Env) newPins(dir string, accepted []string) *pin.Pins {
	if dir == "" {
		return &pin.Pins{Accepted: accepted}
	}
	warn := sync.OnceFunc(func() {
		e.Say("warning: the certificates of more servers are not remembered, because the file " + filepath.Join(dir, pinsName) + " is full; remove old lines")
	})
	return &pin.Pins{
		Accepted: accepted,
		Load: func() (map[string]pin.Pin, error) {
			root, err := e.MakeRoot(dir, 0o700)
			if err != nil {
				return nil, err
			}
			defer root.Close()
			return readPins(root)
		},
		Store: func(address string, old, p pin.Pin) (pin.Pin, error) {
			root, err := e.MakeRoot(dir, 0o700)
			if err != nil {
				return p, err
			}
			defer root.Close()
			p, err = storePin(root, address, old, p)
			if errors.Is(err, pin.ErrFull) {
				warn()
			}
			return p, err
		},
	}
}

// storePin stores a pin in place of old. It returns the pin that the server has now: p, or another one that another
// process has stored in place of old. The error is pin.ErrFull if the file of pins has maxPins bytes.
func storePin(root *os.Root, address string, old, p pin.Pin) (pin.Pin, error) {
	if info, err := root.Stat(pinsName); err == nil && info.Size() >= maxPins {
		return p, pin.ErrFull
	}
	if err := appendPin(root, address, p); err != nil {
		return p, err
	}
	first := p // after the last line of old
	isFound := false
	err := eachPin(root, func(at string, found pin.Pin) {
		switch {
		case at != address:
		case found.Fingerprint == old.Fingerprint:
			isFound = false
		case !isFound:
			first, isFound = found, true
		}
	})
	if err == nil && first.Fingerprint != p.Fingerprint {
		err = appendPin(root, address, first)
	}
	return first, err
}

// readPins returns the last pin of each address in the file of pins.
func readPins(root *os.Root) (map[string]pin.Pin, error) {
	pins := make(map[string]pin.Pin)
	return pins, eachPin(root, func(address string, p pin.Pin) { pins[address] = p })
}

// eachPin calls f with each line of the file of pins. A missing file has no lines. A line that is not a pin is an error,
// because without it a changed certificate could pass.
func eachPin(root *os.Root, f func(address string, p pin.Pin)) error {
	file, err := root.Open(pinsName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		address, p, err := parsePin(lines.Text())
		if err != nil {
			return fmt.Errorf("%s, line %d: %w", file.Name(), n, err)
		}
		f(address, p)
	}
	return lines.Err()
}

// parsePin parses a line of the file of pins: an address, a fingerprint, and the times Since and Expires.
func parsePin(line string) (address string, p pin.Pin, err error) {
	fields := strings.Fields(line)
	if len(fields) != 4 {
		return "", p, errors.New("the line must have an address, a fingerprint and two times")
	}
	p.Fingerprint = fields[1]
	if p.Since, err = time.Parse(time.RFC3339, fields[2]); err != nil {
		return "", p, err
	}
	p.Expires, err = time.Parse(time.RFC3339, fields[3])
	return fields[0], p, err
}

// appendPin adds the pin of an address to the file of pins, as one line in one write. It refuses an address with a
// blank or a line end, because readPins could not read the line.
func appendPin(root *os.Root, address string, p pin.Pin) error {
	if fields := strings.Fields(address); len(fields) != 1 || fields[0] != address {
		return fmt.Errorf("%q is not the address of a server", address)
	}
	f, err := root.OpenFile(pinsName, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	start := ""
	if !endsLine(f) { // a person has edited the file
		start = "\n"
	}
	_, err = fmt.Fprintf(f, "%s%s %s %s %s\n", start, address, p.Fingerprint, p.Since.UTC().Format(time.RFC3339), p.Expires.UTC().Format(time.RFC3339))
	return errors.Join(err, f.Close())
}

// parseFingerprint returns a SHA-256 fingerprint in lower-case hexadecimal, without the colons that openssl writes,
// or a UsageError.
func parseFingerprint(flag, text string) (any, error) {
	digits := strings.ToLower(strings.ReplaceAll(text, ":", ""))
	if b, err := hex.DecodeString(digits); err != nil || len(b) != sha256.Size {
		return digits, Misuse("--%s must be a SHA-256 fingerprint of %d hexadecimal digits, not %q", flag, 2*sha256.Size, text)
	}
	return digits, nil
}
