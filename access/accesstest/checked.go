package accesstest

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"locus/access"
)

// A checked is an Engine that checks every call of another Engine against the rules for all
// calls. The call must not change the Request. It must return either a Resource or an
// error. An error is an *access.Moved, or an *access.Error with the URL, and does not show
// the password. Only Get and Send have a Body.
type checked struct {
	access.Engine
	t *testing.T
}

// errNothing is the error of a call that returned neither a Resource nor an error.
var errNothing = errors.New("the engine returns a nil Resource or Body without an error")

// Do passes req to the Engine. It fails the test if the Engine changes req, returns an error of
// another type or with another URL or with the password, or returns a Resource without a Body. The
// Body must be access.NoBody if the Op does not return content.
func (c checked) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	c.t.Helper()
	before := *req
	r, err := c.Engine.Do(ctx, req)
	if fields := changes(before, *req); fields != "" {
		c.t.Errorf("%s(%q) has changed the Request: %s", before.Op, before.URL, fields)
	}
	switch {
	case err != nil:
		_, isMoved := errors.AsType[*access.Moved](err)
		if e, ok := errors.AsType[*access.Error](err); !isMoved && (!ok || e.URL != before.URL) {
			c.t.Errorf("%s(%q) = %#v, want an *access.Error with that URL", before.Op, before.URL, err)
		}
		if showsSecret(err) {
			c.t.Errorf("%s shows the password: %v", before.Op, err)
		}
	case r == nil || r.Body == nil:
		c.t.Errorf("%s(%q): %v", before.Op, before.URL, errNothing)
		return nil, errNothing
	case !before.Op.HasBody() && r.Body != access.NoBody:
		c.t.Errorf("%s(%q) has the Body %T, want access.NoBody", before.Op, before.URL, r.Body)
	}
	return r, err
}

// changes returns the names of the fields that differ between the two requests, with ", " between
// them; "" if the requests are equal. Two functions are equal if both are nil or neither is.
func changes(before, after access.Request) string {
	var names []string
	a, b := reflect.ValueOf(before), reflect.ValueOf(after)
	for i := range a.NumField() {
		x, y := a.Field(i), b.Field(i)
		isSame := x.Kind() == reflect.Func && x.IsNil() == y.IsNil()
		if !isSame && !reflect.DeepEqual(x.Interface(), y.Interface()) {
			names = append(names, a.Type().Field(i).Name)
		}
	}
	return strings.Join(names, ", ")
}

// showsSecret reports whether an error or its hint has the password.
func showsSecret(err error) bool {
	return strings.Contains(err.Error(), Secret) || strings.Contains(access.Hint(err), Secret)
}
