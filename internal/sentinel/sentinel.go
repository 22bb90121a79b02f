// Package sentinel has errors for the variables of packages.
//
// Notable divergences: none; it implements no document.
package sentinel

// An Error is an error with a fixed text. It is for the variables of packages: unlike a
// call that returns an error, &Error{…} costs nothing when the program starts, because the
// linker lays it out. Use it by pointer. Goroutines may share it.
type Error struct {
	Text  string
	Kinds []*error // what it wraps, such as &fs.ErrPermission; their texts are not shown
}

// Error returns the text.
func (e *Error) Error() string { return e.Text }

// Unwrap returns what the error wraps.
func (e *Error) Unwrap() []error {
	kinds := make([]error, len(e.Kinds))
	for i, kind := range e.Kinds {
		kinds[i] = *kind
	}
	return kinds
}
