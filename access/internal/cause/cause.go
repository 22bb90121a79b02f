// Package cause makes the reasons of errors, for packages access and access/engine.
package cause

import "errors"

// New returns an error with a text. It wraps kinds without their texts.
func New(text string, kinds ...error) error { return &cause{text, kinds} }

type cause struct {
	text  string
	kinds []error
}

func (c *cause) Error() string   { return c.text }
func (c *cause) Unwrap() []error { return c.kinds }

// ErrRefused is the reason of a refusal whose meaning is unknown. A message leaves out its
// text if the server's reply says why.
var ErrRefused = errors.New("the server refuses")
