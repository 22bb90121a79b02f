// Package sentinel has errors for the variables of packages that wrap others.
//
// Notable divergences: none; it implements no document.
package sentinel

// New returns an error with this text that wraps kinds, such as fs.ErrPermission. Their own
// texts are not shown. For an error that wraps nothing use errors.New.
func New(text string, kinds ...error) error { return &sentinel{text, kinds} }

type sentinel struct {
	text  string
	kinds []error
}

func (s *sentinel) Error() string   { return s.text }
func (s *sentinel) Unwrap() []error { return s.kinds }
