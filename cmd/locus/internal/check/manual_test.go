package check

import (
	"strings"
	"testing"
)

// The roles of a Sphinx manual lead to its sources: ref to a label of any source, and doc and
// download to files, relative to the document or to the folder of conf.py.
func TestManual(t *testing.T) {
	files := map[string]string{
		"conf.py": "extensions = []\n",
		"index.rst": "Index\n=====\n\n.. _the top:\n\n:doc:`guide/one` :doc:`/guide/two` :doc:`text <guide/none>` :download:`guide/data.csv` :download:`no.csv`\n" +
			":ref:`The  Top` :ref:`x <deep>` :ref:`my-label` :ref:`fig one` :ref:`gone` :ref:`search`\n\n.. include:: guide/part.inc\n.. literalinclude:: /guide/none.py\n.. include:: <isonum.txt>\n\n``:doc:`code```\n",
		"guide/one.rst":   "One\n===\n\n.. _deep:\n\nPart\n----\n\n:doc:`../index` :doc:`two` :ref:`deep <deep>` :doc:`click:testing`\n\n.. include:: ../a b#.txt\n\n.. figure:: x.png\n   :name: Fig One\n",
		"guide/two.md":    "(my-label)=\n# Two\n",
		"a b#.txt":        "a",
		"guide/data.csv":  "a",
		"guide/part.inc":  "a",
		"guide/x.png":     "a",
		"_build/gone.rst": ".. _gone:\n",
	}
	stdout, _, err := checkFolder(t, files, Options{Reports: Reports{All: true}})
	var dead []string
	for line := range strings.Lines(stdout) {
		if rest, ok := strings.CutPrefix(line, "dead  "); ok {
			dead = append(dead, strings.TrimSpace(rest))
		}
	}
	want := ":ref:`gone`  no document of the manual has this label; /guide/none.py  no such file or folder; /guide/none.rst  no such file or folder; /no.csv  no such file or folder"
	if got := strings.Join(dead, "; "); got != want || err == nil {
		t.Errorf("the dead links are %q, %v, want %q", got, err, want)
	}
	for _, good := range []string{"/index.rst#the%20top", "/guide/one.rst#deep", "/guide/two.md#my-label", "/guide/one.rst#Fig%20One", "/guide/two.md\n", "/guide/data.csv", "/guide/part.inc", "/a%20b%23.txt"} {
		if !strings.Contains(stdout, "good  "+good) {
			t.Errorf("the link %q is not good in\n%s", good, stdout)
		}
	}
	if want := "unchecked  :doc:`click:testing`  it is a document of another manual\n"; !strings.Contains(stdout, want) {
		t.Errorf("the report does not contain %q:\n%s", want, stdout)
	}
	files["conf.py"] = "extensions = ['sphinx.ext.autodoc']"
	if stdout, _, _ := checkFolder(t, files, Options{}); !strings.Contains(stdout, "unchecked  :ref:`gone`") {
		t.Errorf("with an extension that may add labels, the report is\n%s", stdout)
	}
	delete(files, "conf.py")
	if stdout, _, err := checkFolder(t, files, Options{}); err != nil || !strings.Contains(stdout, " 0 dead") {
		t.Errorf("without conf.py, the report is %v\n%s", err, stdout)
	}
}
