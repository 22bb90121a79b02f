package check

import (
	"testing"

	"locus/check/site"
)

// A link that is not opened is dead only if the files show that its target is missing.
func TestVerdictOf(t *testing.T) {
	for _, test := range []struct {
		bad    string
		status Status
		class  Class
	}{
		{tooLong, Unchecked, ClassLimit},
		{longBase, Unchecked, ClassLimit},
		{site.NoLabel, Dead, ClassAnchor},
		{site.MayBeLabel, Unchecked, ClassAnchor},
		{site.NoItem, Dead, ClassAnchor},
		{site.OtherManual, Unchecked, ClassAnchor},
		{site.MayBeDocument, Unchecked, ClassFile},
		{site.NoNote, Dead, ClassFile},
		{site.MayBeNote, Unchecked, ClassFile},
		{noAttachment, Dead, ClassFile},
		{site.NoWiki, Unchecked, ClassFile},
		{site.NoRoot, Unchecked, ClassFile},
		{site.Outside, Unchecked, ClassFile},
		{site.OtherComponent, Unchecked, ClassFile},
		{"a URL has no blanks", Dead, ClassSyntax},
	} {
		if status, class := verdictOf(test.bad); status != test.status || class != test.class {
			t.Errorf("verdictOf(%q) = %v, %q, want %v, %q", test.bad, status, class, test.status, test.class)
		}
	}
}
