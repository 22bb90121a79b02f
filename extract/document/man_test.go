package document

import "testing"

func TestManMacros(t *testing.T) {
	hold(t, Man, Options{}, []marked{
		{".UR ⟦http://h/⟧\ntext\n.UE .\n.MT ⟦jo@h⟧\n.ME\n'UR ⟦http://i/⟧\n.UR\n.UE\n.UR ⟦rel⟧\n", []string{".UR: http://h/", ".MT: mailto:jo@h", ".UR: http://i/", ".UR: rel"}},
		{".Lk ⟦http://h/⟧ \"the text\"\n.Lk ⟦http://i/⟧ \"⟦http://l/⟧\" .\n.Mt ⟦jo@h⟧\n.Lk \"⟦http://j/⟧\"\n.UR <⟦http://k/⟧>\n.Mt\n.Lk \"\"\n", []string{
			".Lk: http://h/", ".Lk: http://i/", "url .Lk: http://l/", ".Mt: mailto:jo@h", ".Lk: http://j/", ".UR: http://k/",
		}},
		{".UR ⟦http://h/a\\-b⟧\n.UR ⟦http://h/a\\:b⟧\n.UR \\:⟦http://h/c⟧\n.UR ⟦UR⟧\n", []string{".UR: http://h/a-b", ".UR: http://h/ab", ".UR: http://h/c", ".UR: UR"}},
		{".  UR ⟦http://h/⟧\n.\tMT ⟦jo@h⟧\n'  Lk ⟦http://i/⟧ x\n.   \n.  x\n", []string{".UR: http://h/", ".MT: mailto:jo@h", ".Lk: http://i/"}},
		// macros of mdoc call other macros
		{".An Jo Do Aq Mt ⟦jo@h.example⟧\n.It Lk ⟦http://h/⟧ x\n.Pq Lk ⟦http://i/⟧ Ns .\n.An Mo Mt ⟦mo@h⟧ , ⟦http://j/⟧\n.Em see Lk\n", []string{
			".Mt: mailto:jo@h.example", ".Lk: http://h/", ".Lk: http://i/", ".Mt: mailto:mo@h", "url .An: http://j/",
		}},
		{".B Mt x\n.BR Lk y\n.SH Mt z\nMt x\n", nil},
		{".B ⟦http://h/a⟧\n.IR ⟦http://h/b⟧ .\n.BR ⟦http://h/c⟧ (1)\n.SH ⟦http://h/d⟧\n.URL ⟦http://h/e⟧ text\n.TH X 1 \"⟦http://h/f⟧\"\n", []string{
			"url .B: http://h/a", "url .IR: http://h/b", "url .BR: http://h/c", "url .SH: http://h/d", ".URL: http://h/e", "url .TH: http://h/f",
		}},
		{".\\\" http://no/\n'\\\" http://no/\n\\\" http://no/\n.x \\\" http://no/\n⟦http://h/⟧\\\" http://no/\n.\\}\n.\n..\n", []string{"url http://h/"}},
		{"⟦http://h/a⟧\r\n.UR ⟦http://h/b⟧\r\n\n.UR ⟦x⟧", []string{"url http://h/a", ".UR: http://h/b", ".UR: x"}},
	})
}

// Escapes are removed from the text. The offsets of matches are offsets in the document.
func TestManText(t *testing.T) {
	hold(t, Man, Options{}, []marked{
		{`\fI⟦http://h/a⟧\fP, \(la⟦http://h/b⟧\(ra <\fB⟦http://h/c⟧\fR>. ⟦ftp://h/\fR\fId⟧\fP \%⟦http://h/e⟧ "⟦http://h/f⟧"`, []string{
			"url http://h/a", "url http://h/b", "url http://h/c", "url ftp://h/d", "url http://h/e", "url http://h/f",
		}},
		{`⟦http://h/a\:/b\:/c⟧ ⟦http://h/\(tid⟧ ⟦http://h/e\-f⟧ ⟦http:\://h/g⟧ ⟦http://h/\&i⟧ ⟦http://h/j⟧\~k`, []string{
			"url http://h/a/b/c", "url http://h/~d", "url http://h/e-f", "url http://h/g", "url http://h/i", "url http://h/j",
		}},
		{`⟦http://h/a⟧\c`, []string{"url http://h/a"}},
		{`⟦http://h/\s-1A\s+1/b⟧ ⟦http://h/\v'-.4'c⟧ ⟦http://h/d⟧\(rq ⟦http://h/e⟧\(co ⟦http://h/f\[u00E9]⟧ ⟦http://h/\.g⟧`, []string{
			"url http://h/A/b", "url http://h/c", "url http://h/d", "url http://h/e", "url http://h/fé", "url http://h/.g",
		}},
	})
}
