package screen

import (
	"math"
	"sync"

	"locus/terminal"
)

// A Shared is a [Screen] that several goroutines may use at once.
type Shared struct {
	mu            sync.Mutex
	columns, rows int // the size of the user's terminal, which may exceed the limits of a Screen
	screen        *Screen
}

// NewShared returns an empty screen of 24 rows of 80 columns.
func NewShared() *Shared {
	return &Shared{columns: 80, rows: 24, screen: New(80, 24)}
}

// Show interprets output of the host.
func (s *Shared) Show(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.screen.Show(p)
}

// SetSize sets the size, and resizes the screen within the limits of a Screen.
func (s *Shared) SetSize(columns, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.columns, s.rows = columns, rows
	s.screen.Resize(columns, rows)
}

// Size returns the size that was set last, each number limited to 16 bits.
func (s *Shared) Size() (columns, rows uint16) {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit := func(n int) uint16 { return uint16(max(0, min(n, math.MaxUint16))) } //nolint:gosec // it fits
	return limit(s.columns), limit(s.rows)
}

// Screen returns a snapshot of the screen after all calls of Show.
func (s *Shared) Screen() terminal.Screen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.Screen()
}

// TakeScrolled returns the lines that left the screen at its top since the last call, and forgets
// them.
func (s *Shared) TakeScrolled() terminal.Scrolled {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.history.take()
}
