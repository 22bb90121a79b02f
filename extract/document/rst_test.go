package document

import "testing"

func TestRSTTargets(t *testing.T) {
	hold(t, RST, Options{}, []marked{
		{".. _a: ⟦http://h/⟧\n.. _b c: ⟦http://i/⟧\n\n  .. _d: ⟦e.html⟧\n.. _f:   ⟦g⟧  \n.. __: ⟦h⟧\n__ ⟦i⟧\n", []string{"target: http://h/", "target: http://i/", "target: e.html", "target: g", "target: h", "target: i"}},
		// names with colons
		{".. _`a: b`: ⟦c⟧\n.. _a\\: b: ⟦c⟧\n.. _a:b: ⟦c⟧\n.. _`a`: ⟦c⟧\n.. _`a: c\n.. _`a` b: c\n.. _a\\: b\n", []string{"target: c", "target: c", "target: c", "target: c"}},
		// any white space may follow the dots, and a name is never empty (reStructuredText, Explicit Markup Blocks)
		{"..  _a: ⟦b⟧\n..\t_c: ⟦d⟧\n.. \t __: ⟦e⟧\n..   image:: ⟦f⟧\n..\t|g| figure:: ⟦h⟧\n   ..  _i: ⟦j/\n      k⟧\n", []string{"target: b", "target: d", "target: e", "target: f", "target: h", "target: j/k"}},
		{".. _: a\n.. _``: b\n.._c: d\n..image:: e\n... _f: g\n . . _h: i\n..\n_j: k\n", nil},
		// targets of other kinds, empty targets, and targets that are not URLs
		{".. _a: b_\n.. _a: `b c`_\n__ b_\n.. _a:\n.. _b:\n\n.. _c: ⟦d e f⟧\n.. _d\n.. _`e`:\n__\n__ \n.. __:\n", []string{"target: def"}},
		{".. _a: ⟦b\\_⟧\n.. _a: ⟦\\*c⟧\n.. _d: ⟦e\\\\f⟧\n", []string{`target: b_`, `target: *c`, `target: e\f`}},
		{".. _a: <⟦http://h/⟧>\n", []string{"url http://h/"}},
		// the lines of a long URL are joined (reStructuredText, Hyperlink Targets)
		{".. _a: ⟦http://h/\n   b/\n   c⟧\n.. _d:\n   ⟦http://i/⟧\n\n   no\n.. _e:\n\n   f\n", []string{"target: http://h/b/c", "target: http://i/"}},
		{"  .. _a: ⟦b⟧\n  c\n.. _a: ⟦b/\r\n    c⟧\r\n\r\n__ ⟦d/\n   e⟧\n", []string{"target: b", "target: b/c", "target: d/e"}},
		{".. _a: ⟦b⟧\n    \n    c\n", []string{"target: b"}},
		{".. _a: ⟦b⟧\n\n   c\n.. _d: ⟦e/\n   f⟧", []string{"target: b", "target: e/f"}},
		// addresses
		{".. _a: ⟦jo@h.example⟧\n`b <⟦mo@h.example⟧>`_ .. _c: d\n.. _e: ⟦mailto:x@h.example⟧\n.. _f: ⟦http://u@h/⟧\n.. _g: ⟦@h⟧\n.. _g: ⟦x@⟧\n.. _i: ⟦a/b@h⟧\n", []string{
			"target: mailto:jo@h.example", "target: mailto:mo@h.example", "target: mailto:x@h.example", "target: http://u@h/", "target: @h", "target: x@", "target: a/b@h",
		}},
	})
}

func TestRSTEmbedded(t *testing.T) {
	hold(t, RST, Options{}, []marked{
		{"`a <⟦b⟧>`_ `a <⟦b⟧>`__, (`<⟦b⟧>`_) `a<b>`_ `a < b <⟦c⟧>`_ `a\nb <⟦c⟧>`_", []string{"target: b", "target: b", "target: b", "target: c", "target: c"}},
		{"`a <⟦http://h/\n  b⟧>`_ and `c\n<⟦d/\r\n\te⟧>`__ and `f <g\n\nh>`_", []string{"target: http://h/b", "target: d/e"}},
		{"`a <b_>`_ `a <⟦b\\_⟧>`_ `a <>`_ `a <⟦b c⟧>`_", []string{"target: b_", "target: bc"}},
		{":doc:`a <b>` :ref:`a <b>` ``a <b>`` `a <b>` `a`_ a_ a__ |a|_ `a <⟦b⟧>`_", []string{"target: b"}},
		{"⟦http://h/a⟧ <⟦http://h/b_⟧> ``⟦http://h/c⟧`` `d <⟦http://h/d⟧>`_ :e: ⟦http://h/e⟧", []string{
			"url http://h/a", "url http://h/b_", "url http://h/c", "target: http://h/d", "url http://h/e",
		}},
	})
}

func TestRSTDirectives(t *testing.T) {
	hold(t, RST, Options{}, []marked{
		{".. image:: ⟦a.png⟧\n   :alt: b\n   :target: ⟦c⟧\n.. figure:: ⟦d.png⟧\n   :target: e_\n.. |f g| image:: ⟦h.png⟧\n.. download:: ⟦i⟧\n", []string{
			"target: a.png", "target: c", "target: d.png", "target: h.png", "target: i",
		}},
		{".. image::   ⟦a.png⟧  \n  .. figure:: ⟦b.png⟧\n* .. x:: y\n.. image::\n.. image:: \n.. images:: a\n.. ximage:: a\n", []string{"target: a.png", "target: b.png"}},
		// an argument continues up to the options (reStructuredText, Directives)
		{".. image:: ⟦http://h/a/\n   b.png⟧\n   :alt: c\n.. figure::\n   ⟦../d.png⟧\n\n   text\n  .. |x| image:: ⟦e/\r\n    f.png⟧\r\n    :target: ⟦g⟧\n.. image::\t⟦h⟧\ni\n.. download:: ⟦j/\n   k⟧", []string{
			"target: http://h/a/b.png", "target: ../d.png", "target: e/f.png", "target: g", "target: h", "target: j/k",
		}},
		{".. image::\n\n   a\n.. image::\n   :alt: b\n.. image::c\n.. image:: ⟦a\n   b c⟧\n.. image::", []string{"target: abc"}},
		{".. rst-class:: image:: a\n.. see image:: b\ntext .. image:: c\n.. note:: x image:: d\n.. |e image:: f\n", nil},
		{".. note:: ⟦http://h/⟧\n.. comment ⟦http://h/⟧\n.. [1] ⟦http://h/⟧\n   :target: ⟦http://h/⟧\n:Home: ⟦http://h/⟧\n", []string{
			"url http://h/", "url http://h/", "url http://h/", "target: http://h/", "url http://h/",
		}},
		{".. \n   a\n..\t\n   b\n..\n   c\n", nil}, // comments
		{".. ", nil},
		{"..", nil},
		{"..\t", nil},
		{".. _", nil},
		{".. |", nil},
		{"__ ", nil},
		{".. _`a`:", nil},
		{".. _`a`b", nil},
		{".. _`: x", nil},
		{".. _a:", nil},
		{">`_ `a <⟦b⟧>`_", []string{"target: b"}},
		{"x>`_ y>`__", nil},
		{"   :target: `a`_\n   :target: ⟦a b⟧\n   :target:\n   :targets: a\n", []string{"target: ab"}},
	})
}

// A backslash keeps the character after it. In a target other white space is left out (docutils, parse_target).
func TestRSTEscapes(t *testing.T) {
	hold(t, RST, Options{SkipCode: true}, []marked{
		{"⟦http://h/\\*a\\*/b⟧ now, and (⟦http://h/c\\_d⟧), ⟦http://h/e⟧\\ f ``http://h/\\_`` \\*⟦http://h/g⟧\n", []string{"url http://h/*a*/b", "url http://h/c_d", "url http://h/e", "url http://h/g"}},
		{".. image:: ⟦a\\ b.svg⟧\n.. _c: ⟦d\\ e\n   f⟧\n.. _g: ⟦h\\\\i⟧\n`j <⟦k\\ l⟧>`_\n", []string{"target: a b.svg", "target: d ef", `target: h\i`, "target: k l"}},
	})
}

// A target that ends in "_" is the name of another target if it is a name, or a text in backquotes.
func TestRSTAliases(t *testing.T) {
	hold(t, RST, Options{}, []marked{
		{".. _a: ⟦b/c_⟧\n.. _d: ⟦http://h/e_⟧\n.. _f: g.h-i_\n.. _j: `k l`_\n.. _m: ⟦-n_⟧\n", []string{"target: b/c_", "target: http://h/e_", "target: -n_"}},
		{"`a <b/c_>`_ `d <⟦http://h/e_⟧>`_ `f <g_>`__\n", []string{"target: http://h/e_"}},
	})
}

// The content of the directive raw is HTML.
func TestRSTRaw(t *testing.T) {
	hold(t, RST, Options{SkipCode: true}, []marked{
		{".. raw:: html\n\n   <a href=⟦a⟧>b</a>\n\n   <img src=⟦c⟧>\n\n`d <⟦e⟧>`_\n\n.. raw:: latex\n\n   <a href=no>\n", []string{"a href: a", "img src: c", "target: e"}},
		{".. raw:: html\n   :url: ⟦a⟧\n.. csv-table:: b\n   :url: ⟦c⟧\n.. note::\n   :url: d\n", []string{"target: a", "target: c"}},
	})
}

// The text of an item is indented by its mark, so that a literal block in the item ends before the text of the item.
func TestRSTItems(t *testing.T) {
	hold(t, RST, Options{SkipCode: true}, []marked{
		{"1. a::\n\n     http://no/\n\n   ⟦http://h/⟧\n\n- (a) b::\n\n        http://no/\n\n      ⟦http://i/⟧\n", []string{"url http://h/", "url http://i/"}},
		{".. _`:a: b`: ⟦c⟧\n`d <e\\>`_\n", []string{"target: c"}},
	})
}
