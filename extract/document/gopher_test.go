package document

import "testing"

func TestGopher(t *testing.T) {
	hold(t, Gopher, Options{}, []marked{
		{"⟦1Dir\t/dir\th.org\t70\t+⟧\r\n⟦0A file\t/a b?c#d%e\th.org\t70⟧\n⟦7Find\t\th.org\t7070⟧\n⟦gPic\tg/x\th.org\t 70 ⟧\n⟦05\t6\t::1\t70⟧", []string{
			"item 1: gopher://h.org/1/dir", "item 0: gopher://h.org/0/a%20b%3Fc%23d%25e", "item 7: gopher://h.org:7070/7", "item g: gopher://h.org/gg/x", "item 0: gopher://[::1]/06",
		}},
		{"⟦8Tel\tme x\tt.org\t23⟧\n⟦8Tel\t\tt.org\t2323⟧\n⟦TTn\t\tt.org\t23⟧\n⟦TTn\tu\tt.org\t23⟧\n", []string{
			"item 8: telnet://me%20x@t.org:23", "item 8: telnet://t.org:2323", "item T: tn3270://t.org:23", "item T: tn3270://u@t.org:23",
		}},
		{"⟦hA\tURL:https://w/?q⟧\n⟦hA\turl:http://w/\th.org\t70⟧\n⟦hA\t/URL:http://w/\t\t⟧\n⟦0A\tURL:mailto:a@b\th\tx⟧\n⟦hA\t/x\th.org\t70⟧\n", []string{
			"item h: https://w/?q", "item h: http://w/", "item h: http://w/", "item 0: mailto:a@b", "item h: gopher://h.org/h/x",
		}},
		{"i⟦http://h/⟧ x\tURL:http://no/\th\t70\n3⟦http://i/⟧\t\terror.host\t1\n⟦http://j/⟧\n\tx\n0only\tone\n0⟦http://k/⟧\tb\th\n\n", []string{"url http://h/", "url http://i/", "url http://j/", "url http://k/"}},
		// the type of an item does not belong to its text, and a line without tabs has no type
		{"i⟦mailto:x⟧\t\th\t70\nimailto:a\n3⟦mailto:b⟧\t\n0⟦mailto:c⟧\ts\th\n⟦mailto:d⟧\n\t\tmailto:e\ni\tmailto:f\n", []string{"url mailto:x", "url mailto:b", "url mailto:c", "url mailto:d"}},
		{"0a\tb\th\tport\n0a\tb\th\t0\n0a\tb\th\t65536\n0a\tb\t\t70\n8a\tb\th h\t70\n⟦0a\tb\th\t65535⟧\nhA\tURL:\thx\t\nhA\tURL:http://h:x\th\t70\n", []string{"item 0: gopher://h:65535/0b"}},
		{"⟦1a\t\th\t70⟧\r\n.\r\n1b\t\th\t70\r\n", []string{"item 1: gopher://h/1"}},
		{"⟦1a\t\th\t70⟧\n..\n. \n⟦1b\t\th\t70⟧", []string{"item 1: gopher://h/1", "item 1: gopher://h/1"}},
	})
}
