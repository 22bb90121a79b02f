package url

import "testing"

// standards are those of this package.
var standards = []Standard{RFC3986, RFC1738, RFC1630}

// hrefStandard divides and checks as the standard of the browsers does.
var hrefStandard, hrefs = NewStandard(hrefRules{})

// hrefRules are the rules of a standard whose every text is an href.
type hrefRules struct{}

func (hrefRules) Name() string                   { return "hrefs" }
func (hrefRules) Parse(text string) (URL, error) { return hrefs.Parse(text) }
func (hrefRules) Resolve(base URL, ref string) (URL, error) {
	return hrefs.Parse(base.String() + "+" + ref)
}

func (hrefRules) Set(u URL, n PartName, value Part) (URL, error) {
	return hrefs.Parse(u.String() + "," + n.String() + value.Text)
}

// A URL is handed to the rules of its standard, whatever is done with it.
func TestForeignStandard(t *testing.T) {
	u, err := hrefStandard.Parse("x:a")
	if err != nil || u.String() != "x:a" || u.Standard() != hrefStandard || hrefStandard.String() != "hrefs" {
		t.Fatalf("Parse = %q, %v by %v", u, err, u.Standard())
	}
	if got, err := u.Resolve("b"); err != nil || got.String() != "x:a+b" {
		t.Errorf("Resolve = %q, %v", got, err)
	}
	if got, err := u.With(Query, Some("q")); err != nil || got.String() != "x:a,queryq" {
		t.Errorf("With = %q, %v", got, err)
	}
	if got, err := u.Without(Query, Host); err != nil || got.String() != "x:a,query,host" {
		t.Errorf("Without = %q, %v", got, err)
	}
	if got := u.Normalize(AllRewrites, Facts{}); got != u || !isEquivalent(u, u, Facts{}) {
		t.Errorf("Normalize = %q", got)
	}
}

// A part that there is none of is an error.
func TestWithNoPart(t *testing.T) {
	u := MustParse("http://h/")
	if got, err := u.With(PartName(99), Some("x")); err == nil {
		t.Errorf("With(99) = %q, want an error", got)
	}
	if got, err := u.Without(PartName(99)); err == nil {
		t.Errorf("Without(99) = %q, want an error", got)
	}
}

// A URL is read back by its own standard from what it marshals to.
func TestMarshalText(t *testing.T) {
	for _, std := range append(standards, hrefStandard) {
		u, err := std.Parse("x://h/a")
		if err != nil {
			t.Fatal(err)
		}
		text, err := u.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		v := URL{std: std}
		if err := v.UnmarshalText(text); err != nil || v != u {
			t.Errorf("%v: %q marshals to %q, which is read as %q, %v", std, u, text, v, err)
		}
	}
}
