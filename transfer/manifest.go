package transfer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"locus/url"
)

// A Manifest is where Send remembers what it has sent: one file for each target. It is
// never sent. The zero Manifest is none.
type Manifest struct {
	Dir  *os.Root // the folder of the file
	Name string   // of the file in Dir; "": a name made of the URL of the target
}

// A sentFile is what the manifest has of a file: the version that was sent, and what the
// target listed after that.
type sentFile struct {
	Name   string  `json:"name"`
	Source version `json:"source"`
	Target version `json:"target"`
}

func (f sentFile) key() string { return f.Name }

// A manifest is an open Manifest; nil: none.
type manifest struct{ lines *journal[sentFile] }

// openManifest opens the manifest for a target.
func openManifest(m Manifest, target url.URL, s *spool) *manifest {
	if m.Dir == nil {
		return nil
	}
	name := m.Name
	if name == "" {
		name = fmt.Sprintf("sent-%x.jsonl", hashOf(anonymous(target)))
	}
	return &manifest{openJournal[sentFile](m.Dir, name, s)}
}

// find returns what is remembered of a file; nil if nothing is.
func (m *manifest) find(name string) *sentFile {
	if m == nil {
		return nil
	}
	f, ok := m.lines.get(name)
	if !ok {
		return nil
	}
	return &f
}

// record remembers a file.
func (m *manifest) record(f sentFile) {
	if m != nil {
		m.lines.put(f)
	}
}

// save makes the manifest small again if the run is complete. It returns the first error
// in writing.
func (m *manifest) save(complete bool) error {
	if m == nil {
		return nil
	}
	keep := func(string) bool { return true }
	if !complete {
		if m.lines.err != nil {
			return fmt.Errorf("the manifest: %w", m.lines.err)
		}
		return nil
	}
	if err := m.lines.save(keep); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the manifest: %w", err)
	}
	return nil
}

func (m *manifest) close() {
	if m != nil {
		m.lines.close()
	}
}
