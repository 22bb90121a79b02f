package document

import "testing"

func TestOrgLinks(t *testing.T) {
	hold(t, Org, Options{SkipCode: true}, []marked{
		{"See [[⟦https://h/a⟧][text]], ⟦http://h/b⟧ and <⟦http://h/c⟧>. [[⟦mailto:x@h⟧]]\n", []string{"link: https://h/a", "url http://h/b", "url http://h/c", "link: mailto:x@h"}},
		{"[[⟦file:a.org⟧]] [[⟦./b c.org⟧][x]] [[⟦../d.png⟧]] [[⟦file:e.org::*The  Top⟧]] [[⟦file:f.org::#id⟧]] [[⟦file:g.c::12⟧]] [[⟦/h#i⟧]]\n", []string{
			"link: a.org", "link: ./b%20c.org", "link: ../d.png", "link: e.org#*the%20top", "link: f.org#id", "link: g.c", "link: /h%23i",
		}},
		{"[[⟦#a⟧]] [[⟦*The Top⟧][x]] [[⟦a target⟧]] [[(code)]] [[id:123]] [[elisp:(no)]] [[~/no]] [[file:~/no]] [[/ssh:h:/no]]\n", []string{"link: #a", "link: #*the%20top", "link: #a%20target"}},
		{"[[⟦http://h/⟧][file:a.png]] [[⟦a\\[1\\].org⟧]] [[no] [[] [[no\n]] [no][x]\n", []string{"link: http://h/", "link: #a[1].org"}},
		{"#+LINK: wp https://h/wiki/\n#+LINK: q http://h/?q=%s&x\n\n[[⟦wp:Tea⟧]] [[⟦q:a b⟧][x]]\n", []string{"link: https://h/wiki/Tea", "link: http://h/?q=a b&x"}},
		{"#+LINK: h http://h/?q=%h&x\n[[⟦h:a b/ü%c~d⟧]] [[⟦h::e⟧]] [[⟦h⟧][x]]\n", []string{"link: http://h/?q=a%20b%2F%C3%BC%25c~d&x", "link: http://h/?q=e&x", "link: http://h/?q=&x"}},
		{"#+LINK: \"Nu Checker\"  https://h/%s\n#+LINK: t\thttps://t/\n#+LINK: no\n#+LINK: \"no\n#+LINK: \"\" https://no/\n[[]] [[⟦:c⟧]] [[⟦Nu Checker:a⟧]] [[⟦t:b⟧]] [[⟦no⟧]]\n", []string{"link: #:c", "link: https://h/a", "link: https://t/b", "link: #no"}},
		{"#+LINK: f file:d/%s.org\n#+LINK: g ./e%h\n#+LINK: i id:\n#+LINK: e %(no)\n[[⟦f:a b⟧]] [[⟦g:b⟧]] [[i:no]] [[e:no]]\n", []string{"link: d/a%20b.org", "link: ./eb"}},
		{"#+INCLUDE: \"⟦a.org::*X⟧\" :lines \"1\"\n#+include: ⟦b.org⟧\n#+SETUPFILE: ⟦http://h/s⟧\n#+bibliography: ⟦c.bib⟧\n#+TITLE: ⟦http://h/⟧\n", []string{
			"include: a.org#*x", "include: b.org", "setupfile: http://h/s", "bibliography: c.bib", "url http://h/",
		}},
	})
}

// Code, literal text and comments have no links. Exported HTML is HTML.
func TestOrgBlocks(t *testing.T) {
	hold(t, Org, Options{SkipCode: true}, []marked{
		{"#+BEGIN_SRC sh\n[[no]] http://no/\n#+END_SRC\n: http://no/\n# [[no]]\n#\n#+begin_example\n#+end_src\n[[no]]\n#+end_example\n[[⟦#a⟧]]\n", []string{"link: #a"}},
		{"~http://no/~ =[[no]]= a~b [[⟦#c⟧]] ~ d ~ x=[[⟦#e⟧]]=\n", []string{"link: #c", "link: #e"}},
		{"#+BEGIN_EXPORT html\n<a href=⟦a⟧>\n\n<img src=⟦b⟧>\n#+END_EXPORT\n#+HTML: <a href=⟦c⟧>\nx @@html:<i src=⟦d⟧>@@\n#+begin_export latex\n<a href=no>\n#+end_export\n", []string{"a href: a", "img src: b", "a href: c", "i src: d"}},
		{"#+begin_quote\n[[⟦#a⟧]]\n#+end_quote\n", []string{"link: #a"}},
	})
}

// The marks around code do not belong to the URL in it.
func TestOrgCode(t *testing.T) {
	hold(t, Org, Options{}, []marked{
		{"~⟦http://h/a⟧~ =⟦http://h/b⟧=, (=curl ⟦http://h/c⟧ -x=) x=⟦http://h/d=⟧ ~⟦http://h/~e⟧ f\n", []string{
			"url http://h/a", "url http://h/b", "url http://h/c", "url http://h/d=", "url http://h/~e",
		}},
		{"⟦http://h/a⟧ =⟦http://h/b⟧= [[⟦#c⟧]] =[[no]]= ⟦http://h/d⟧\n", []string{"url http://h/a", "url http://h/b", "link: #c", "url http://h/d"}},
	})
}
