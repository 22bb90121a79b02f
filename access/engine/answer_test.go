package engine_test

import (
	"errors"
	"io/fs"
	"testing"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

func TestResult(t *testing.T) {
	u := url.MustParse("gopher://h/")
	for want, req := range map[string]*access.Request{
		"open gopher://h/: file does not exist":   {URL: u},
		"answer gopher://h/: file does not exist": {URL: u, Answers: []access.Answer{}},
		"put gopher://h/: file does not exist":    {URL: u, Op: access.Put},
	} {
		if r, err := engine.For(req).Result(&access.Resource{}, fs.ErrNotExist); r != nil || err == nil || err.Error() != want {
			t.Errorf("Result = %v, %v, want %q", r, err, want)
		}
		r := &access.Resource{}
		if got, err := engine.For(req).Result(r, nil); got != r || err != nil {
			t.Errorf("Result of %v without an error = %v, %v", req.Op, got, err)
		}
	}
}

func TestWithRemedy(t *testing.T) {
	err := access.WithRemedy(fs.ErrPermission, access.NeedMail)
	if !errors.Is(err, fs.ErrPermission) || err.Error() != fs.ErrPermission.Error() || access.RemedyFor(err) != access.NeedMail {
		t.Errorf("%v with the remedy %v", err, access.RemedyFor(err))
	}
}

func TestCheckTime(t *testing.T) {
	now := time.Date(2026, 11, 22, 1, 2, 3, 0, time.UTC)
	is, isNot := access.Validator{ModTime: now}, access.Validator{ModTime: now.Add(time.Second)}
	for _, test := range []struct {
		req  access.Request
		want error
	}{
		{access.Request{}, nil},
		{access.Request{IfChanged: is}, access.ErrNotModified},
		{access.Request{IfChanged: isNot}, nil},
		{access.Request{IfMatch: isNot}, nil}, // a Get from the start need not fit earlier bytes
		{access.Request{IfMatch: isNot, Offset: 1}, access.ErrChanged},
		{access.Request{IfMatch: is, Offset: 1}, nil},
		{access.Request{IfMatch: access.Validator{ETag: `"x"`}, Offset: 1}, access.ErrChanged},
	} {
		if err := engine.CheckTime(&test.req, now); !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
			t.Errorf("%+v: %v, want %v", test.req, err, test.want)
		}
	}
	if err := engine.CheckTime(&access.Request{IfChanged: is}, time.Time{}); err != nil {
		t.Errorf("an unknown time: %v, want nil", err)
	}
}
