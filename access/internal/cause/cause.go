// Package cause has an error that packages access and access/engine share.
package cause

import "errors"

// ErrRefused is the reason of a refusal whose meaning is unknown. An error message leaves
// out its text if the server's reply gives a reason.
var ErrRefused = errors.New("the server refuses")
