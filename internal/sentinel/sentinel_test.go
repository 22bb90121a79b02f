package sentinel_test

import (
	"errors"
	"io/fs"
	"testing"

	"locus/internal/sentinel"
)

var (
	errPlain  error = &sentinel.Error{Text: "no name"}
	errOther  error = &sentinel.Error{Text: "no name"}
	errKinded error = &sentinel.Error{Text: "it is secret", Kinds: []*error{&fs.ErrPermission, &errPlain}}
)

func TestError(t *testing.T) {
	for _, c := range []struct {
		err, is error
		want    bool
	}{
		{errPlain, errPlain, true},
		{errPlain, errOther, false}, // with the same text
		{errKinded, fs.ErrPermission, true},
		{errKinded, errPlain, true},
		{errKinded, fs.ErrNotExist, false},
	} {
		if got := errors.Is(c.err, c.is); got != c.want {
			t.Errorf("errors.Is(%v, %v) = %v, want %v", c.err, c.is, got, c.want)
		}
	}
	if got := errKinded.Error(); got != "it is secret" {
		t.Errorf("Error() = %q", got)
	}
}
