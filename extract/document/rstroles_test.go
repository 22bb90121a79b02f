package document_test

import (
	"slices"
	"strings"
	"testing"

	"locus/extract/document"
)

// The targets of Sphinx roles are found at their offsets, and not in literal text.
func TestRoles(t *testing.T) {
	const text = `Title
=====

See :ref:` + "`the label <sec-one>`, :ref:`Sec  Two`, :numref:`fig`\nand :doc:`guide <../other/guide>` or :doc:`/index`; :doc:`!no`, ``:doc:`literal` ``, x:ref:`no`." + `
:download:` + "`a file <data.csv>`" + ` http://h/x.

.. include:: part.txt
.. include:: <isonum.txt>
.. literalinclude:: ../x.py
   :lines: 1

   .. include:: /inner.rst

::

   :doc:` + "`code`" + `
   .. include:: code.rst

.. a comment :doc:` + "`no`\n"
	want := []string{
		"role ref sec-one", "role ref Sec Two", "role numref fig", "role doc ../other/guide", "role doc /index", "role download data.csv",
		"role include part.txt", "role include ../x.py", "role include /inner.rst",
	}
	var got []string
	for m, err := range document.RST.All(strings.NewReader(text), document.Options{Roles: true, SkipCode: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(m.Place, "role ") {
			got = append(got, m.Place+" "+m.Text)
			if at := text[m.Offset : m.Offset+int64(m.Length)]; strings.Join(strings.Fields(at), " ") != m.Text {
				t.Errorf("the match %q is at %q", m.Text, at)
			}
			if line := 1 + strings.Count(text[:m.Offset], "\n"); m.Line != line {
				t.Errorf("the match %q is in line %d, want %d", m.Text, m.Line, line)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the roles are %q, want %q", got, want)
	}
	for m := range document.RST.All(strings.NewReader(text), document.Options{SkipCode: true}) {
		if m.Text != "http://h/x" {
			t.Errorf("without Roles, the match %q is found", m.Text)
		}
	}
}

// The documents that a table of contents names, and the files of tables, are found as roles are.
func TestDirectivesOfSphinx(t *testing.T) {
	const text = `
.. toctree::
   :maxdepth: 1
   :caption: no

   a
   The stem <b/c>
   /d.rst
   https://h/x
   Shop <https://h/y>
   self
   genindex
   Modules <modindex>
   search
   d/search

.. toctree::
   :glob:

   e*
   f

.. csv-table:: Pots
   :file: g.csv

.. raw:: html
   :file: h.html

See :rfc:` + "`2822#s1`, :pep:`8`, :rfc:`mail <822>` and :download:`h <https://h/z>`.\n"
	want := []string{
		"role doc a", "role doc b/c", "role doc /d", " https://h/x", " https://h/y", "role doc d/search", "role doc f", "role include g.csv", "role include h.html",
		"rfc https://datatracker.ietf.org/doc/html/rfc2822.html#s1", "pep https://peps.python.org/pep-0008/", "rfc https://datatracker.ietf.org/doc/html/rfc822.html",
		"download https://h/z",
	}
	var got []string
	for m, err := range document.RST.All(strings.NewReader(text), document.Options{Roles: true, SkipCode: true}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, m.Place+" "+m.Text)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the links are %q, want %q", got, want)
	}
}
