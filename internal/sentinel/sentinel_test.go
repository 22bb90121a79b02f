package sentinel_test

import (
	"errors"
	"io/fs"
	"testing"

	"locus/internal/sentinel"
)

var (
	errPlain  = sentinel.New("no name")
	errOther  = sentinel.New("no name")
	errKinded = sentinel.New("it is secret", fs.ErrPermission, errPlain)
)

func TestNew(t *testing.T) {
	for _, test := range []struct {
		err, is error
		want    bool
	}{
		{errPlain, errPlain, true},
		{errPlain, errOther, false}, // another error with the same text
		{errKinded, fs.ErrPermission, true},
		{errKinded, errPlain, true},
		{errKinded, fs.ErrNotExist, false},
	} {
		if got := errors.Is(test.err, test.is); got != test.want {
			t.Errorf("errors.Is(%v, %v) = %v, want %v", test.err, test.is, got, test.want)
		}
	}
	if got := errKinded.Error(); got != "it is secret" {
		t.Errorf("Error() = %q", got)
	}
}
