package url

import "testing"

// standards are the standards of this package.
var standards = []Standard{RFC3986, RFC1738, RFC1630}

// hrefStandard divides and checks a text like the standard of the browsers.
var hrefStandard, hrefs = NewStandard(hrefRules{})

// hrefRules are the rules of a standard for which every text is an href.
type hrefRules struct{}

func (hrefRules) Name() string                   { return "hrefs" }
func (hrefRules) Parse(text string) (URL, error) { return hrefs.Parse(text) }
func (hrefRules) Resolve(base URL, ref string) (URL, error) {
	return hrefs.Parse(base.String() + "+" + ref)
}

func (hrefRules) Set(u URL, n PartName, value Part) (URL, error) {
	return hrefs.Parse(u.String() + "," + n.String() + value.Text)
}

// Every operation on a URL uses the rules of its standard.
func TestForeignStandard(t *testing.T) {
	u, err := hrefStandard.Parse("x:a")
	if err != nil || u.String() != "x:a" || u.Standard() != hrefStandard || hrefStandard.String() != "hrefs" {
		t.Fatalf("Parse(x:a) = %q, %v by %v", u, err, u.Standard())
	}
	if got, err := u.Resolve("b"); err != nil || got.String() != "x:a+b" {
		t.Errorf("Resolve(b) = %q, %v, want x:a+b", got, err)
	}
	if got, err := u.With(Query, Some("q")); err != nil || got.String() != "x:a,queryq" {
		t.Errorf("With(Query, q) = %q, %v, want x:a,queryq", got, err)
	}
	if got, err := u.Without(Query, Host); err != nil || got.String() != "x:a,query,host" {
		t.Errorf("Without(Query, Host) = %q, %v, want x:a,query,host", got, err)
	}
	if got := u.Normalize(AllRewrites, Facts{}); got != u || !isEquivalent(u, u, Facts{}) {
		t.Errorf("Normalize(%q) = another URL, want it unchanged", got)
	}
}

// With and Without return an error for a part that does not exist.
func TestWithNoPart(t *testing.T) {
	u := MustParse("http://h/")
	if got, err := u.With(PartName(99), Some("x")); err == nil {
		t.Errorf("With(99) = %q, want an error", got)
	}
	if got, err := u.Without(PartName(99)); err == nil {
		t.Errorf("Without(99) = %q, want an error", got)
	}
}

// UnmarshalText reads back the text that MarshalText returns, by the standard of the receiver.
func TestMarshalText(t *testing.T) {
	for _, std := range append(standards, hrefStandard) {
		u, err := std.Parse("x://h/a")
		if err != nil {
			t.Fatalf("%v: %v", std, err)
		}
		text, err := u.MarshalText()
		if err != nil {
			t.Fatalf("%v: %v", std, err)
		}
		v := URL{std: std}
		if err := v.UnmarshalText(text); err != nil || v != u {
			t.Errorf("%v: MarshalText of %q = %q, but UnmarshalText reads %q, %v", std, u, text, v, err)
		}
	}
}
