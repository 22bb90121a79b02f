package sync

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"locus/internal/filelock"
	"locus/internal/spill"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/tree"
	"locus/url"
)

// A Manifest is the file in which Send records the files that it has sent to one target. The file
// itself is never sent. With the zero Manifest, Send records no files.
type Manifest struct {
	Dir  *os.Root // the folder of the file
	Name string   // of the file in Dir; "": a name made of the URL of the target
}

// A sentFile is the line of a file in the manifest: the version that was sent, and the version that
// the target listed after that. The line of the root has the runs that did not end well.
type sentFile struct {
	Name   string   `json:"name"`
	Source version  `json:"source,omitzero"`
	Target version  `json:"target,omitzero"`
	Runs   []string `json:"runs,omitempty"` // see partOf
}

// Key implements spill.Keyed.
func (f sentFile) Key() string { return f.Name }

// A manifest is an open Manifest. A nil *manifest records no files.
type manifest struct {
	lines   *spill.Journal[sentFile]
	at      Manifest // where it is
	file    *os.File // locked by this run; nil without a lock
	busy    bool     // another run uses it, and adds lines
	earlier []string // runs that have ended, and did not end well
	ended   bool     // this one has ended well
}

// root is the name of the line that has the runs.
const root = "."

// maxRuns is how many runs are remembered. A line with so many is shorter than spill.MaxLine.
const maxRuns = 1000

// openManifest opens the manifest m for a target, and reads its lines. It returns nil for the zero Manifest.
func openManifest(m Manifest, target url.URL, s *spill.Store) *manifest {
	if m.Dir == nil {
		return nil
	}
	if m.Name == "" {
		m.Name = fmt.Sprintf("sent-%x.jsonl", spill.HashOf(tree.Anonymous(target)))
	}
	return &manifest{lines: spill.OpenJournal[sentFile](m.Dir, m.Name, s), at: m}
}

// begin records run in the manifest as a run that has not ended well: see end. It also locks the manifest. If it gets
// the lock, no other run uses the manifest, so the runs that were recorded before have ended, and earlierRuns returns
// them. Without the lock earlierRuns returns nil.
func (m *manifest) begin(run string) {
	if m == nil {
		return
	}
	m.lock()
	var runs []string
	if before, ok := m.lines.Get(root); ok {
		runs = before.Runs[max(len(before.Runs)-maxRuns+1, 0):]
	}
	if m.file != nil {
		m.earlier = runs
	}
	m.record(sentFile{Name: root, Runs: append(slices.Clip(runs), run)})
}

// lock opens and locks the file of the manifest, and keeps it in m.file. If another run has the lock, it sets m.busy
// instead. If the file cannot be opened, or the file system has no locks, it sets neither.
func (m *manifest) lock() {
	f, err := m.at.Dir.OpenFile(m.at.Name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return // save returns the error
	}
	locked, err := fetch.TryLock(m.at.Dir, m.at.Name, f)
	if !locked {
		f.Close()
		m.busy = err != nil
		return
	}
	m.file = f
}

// earlierRuns returns the runs that have ended, but not well, so they may have left parts at the target.
func (m *manifest) earlierRuns() []string {
	if m == nil {
		return nil
	}
	return m.earlier
}

// end notes that this run has ended well, so that save forgets this run and the earlier ones. It does nothing without
// the lock.
func (m *manifest) end() {
	if m != nil && m.file != nil {
		m.ended = true
	}
}

// find returns the line of the named file, or nil if the manifest lacks it.
func (m *manifest) find(name string) *sentFile {
	if m == nil {
		return nil
	}
	f, ok := m.lines.Get(name)
	if !ok {
		return nil
	}
	return &f
}

// record adds or replaces the line of a file. An error in writing is returned by save.
func (m *manifest) record(f sentFile) {
	if m != nil {
		m.lines.Put(f)
	}
}

// save rewrites the manifest with one line for each file, if complete is set and no other run uses the manifest. It
// returns the first error in writing, also of record.
func (m *manifest) save(complete bool) error {
	if m == nil {
		return nil
	}
	keep := func(name string) bool { return name != root || !m.ended }
	if !complete || m.busy {
		if err := m.lines.Err(); err != nil {
			return fmt.Errorf("the manifest: %w", err)
		}
		return nil
	}
	err := m.lines.Save(keep)
	if errors.Is(err, fs.ErrPermission) { // some systems do not replace an open file
		m.unlock()
		err = m.lines.Save(keep)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the manifest: %w", err)
	}
	return nil
}

// close closes and unlocks the manifest.
func (m *manifest) close() {
	if m == nil {
		return
	}
	m.lines.Close()
	m.unlock()
}

// unlock releases the lock, if this run has it.
func (m *manifest) unlock() {
	if m.file != nil {
		_ = filelock.Close(m.file)
		m.file = nil
	}
}
