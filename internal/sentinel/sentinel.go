// Package sentinel makes errors for package variables that wrap other errors.
package sentinel

// New returns an error with this text that wraps kinds, such as fs.ErrPermission. Their own
// texts are not shown. Use errors.New for an error without kinds.
func New(text string, kinds ...error) error { return &sentinel{text, kinds} }

type sentinel struct {
	text  string
	kinds []error
}

func (s *sentinel) Error() string   { return s.text }
func (s *sentinel) Unwrap() []error { return s.kinds }
