package markdown

import (
	"bytes"
	"strings"
	"testing"

	"locus/extract/document/dialect"
)

// The comments and the code of a generator, which the marks ⟦ and ⟧ enclose in the table, are replaced by blanks.
func TestHidden(t *testing.T) {
	liquid, hugo, kramdown := dialect.Dialect{Liquid: true}, dialect.Dialect{Shortcodes: true}, dialect.Dialect{Kramdown: true}
	for _, test := range []struct {
		in string
		d  dialect.Dialect
	}{
		{"a ⟦{% comment %}b\nc{% endcomment %}⟧ d", liquid},
		{"⟦{%- comment -%}b{%- endcomment -%}⟧c", liquid},
		{"⟦{% highlight go linenos %}b{% endhighlight %}⟧c⟦{%comment%}d{%endcomment%}⟧", liquid},
		{"⟦{% comment %}{% comment %}b{% endcomment %}c{% endcomment %}⟧d", liquid},
		{"⟦{% comment %}a{% highlight x %}b{% endcomment %}⟧c{% endhighlight %}", liquid},
		{"{% raw %}{% comment %}b{% endcomment %}{% endraw %}⟦{% comment %}{% endcomment %}⟧", liquid},
		{"⟦{% # a %}⟧b{% if c %}d{% endif %}{% comment", liquid},
		{"{% comment %}a{% highlight x %}b", liquid},
		{"{% comments %}a{% endcomment %}{{ b }}", liquid},
		{"`⟦{% comment %}a{% endcomment %}⟧`", liquid}, // Liquid is read before Markdown
		{"⟦{{< highlight go >}}a{{< /highlight >}}⟧b⟦{{% comment %}}c{{%/comment%}}⟧", hugo},
		{"{{</* highlight go */>}}a{{</* /highlight */>}} {{< figure src=\"a\" >}}", hugo},
		{"{{< highlight go >}}a{{% /highlight %}}", hugo},
		{"{% comment %}a{% endcomment %}", hugo},
		{"a ⟦{::comment}b\nc{:/comment}⟧ d⟦{::comment}e{:/}⟧f", kramdown},
		{"{::nomarkdown}<a href=b>⟦[⟧c⟦]⟧(d){:/nomarkdown}", kramdown},
		{"`{::comment}` a {:/comment}\n\n```\n{::comment}\n```\n{:/comment}\n    {::comment}a{:/comment}", kramdown},
		{"{::comment /}a{:/x} {::comment}b {::options a=\"b\" /}", kramdown},
	} {
		in := strings.NewReplacer("⟦", "", "⟧", "").Replace(test.in)
		var want strings.Builder
		for i, part := range strings.FieldsFunc("\x00"+test.in, func(c rune) bool { return c == '⟦' || c == '⟧' }) {
			if i%2 == 1 {
				part = strings.Map(func(c rune) rune {
					if c == '\n' {
						return c
					}
					return ' '
				}, part)
			}
			want.WriteString(strings.TrimPrefix(part, "\x00"))
		}
		text := []byte(in)
		if got := hidden(text, test.d); string(got) != want.String() {
			t.Errorf("hidden(%q) = %q, want %q", in, got, want.String())
		}
		if !bytes.Equal(text, []byte(in)) {
			t.Errorf("hidden(%q) changed its argument to %q", in, text)
		}
		if got := hidden(text, dialect.Dialect{}); string(got) != in {
			t.Errorf("hidden(%q) without a generator = %q, want no change", in, got)
		}
	}
}
