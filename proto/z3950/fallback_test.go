package z3950_test

import (
	"errors"
	"strings"
	"testing"

	"locus/access/accesstest"
	"locus/internal/ber"
	"locus/proto/z3950"
)

// If the server lacks a syntax, the client asks for the next one, and not for the first again.
func TestSyntaxFallback(t *testing.T) {
	for name, refusal := range map[string]string{"for all": notPresented(239), "for each": presented(instead(238))} {
		var asked []string
		server := accesstest.ServeAll(t, answering(func(m ber.Element) string {
			switch m.Tag {
			case 20:
				return accepts()
			case 22:
				return found(1)
			case 48:
				return ""
			}
			syntax, _ := m.Find(104)
			oid, _ := syntax.OID()
			asked = append(asked, oid)
			if oid == sutrs {
				return presented(plain("hello"))
			}
			return refusal
		}))
		got, err := fetch(t.Context(), client(server.Dial), "z39.50r://h/db?x")
		if want := usmarc + " 1.2.840.10003.5.1 " + xmlOID + " " + sutrs; got != "hello" || err != nil || strings.Join(asked, " ") != want {
			t.Errorf("%s: %q, %v, after %q, want %q", name, got, err, asked, want)
		}
		asked = nil
		_, err = fetch(t.Context(), client(server.Dial), "z39.50r://h/db?x;rs=grs-1+usmarc")
		if !errors.Is(err, errors.ErrUnsupported) || strings.Join(asked, " ") != grs1+" "+usmarc {
			t.Errorf("%s: syntaxes of the URL: %v, after %q", name, err, asked)
		}
		asked = nil
		c := z3950.Client{Dial: server.Dial, Syntaxes: []string{"xml", "text"}}
		if got, err := fetch(t.Context(), c, "z39.50r://h/db?x"); got != "hello" || err != nil || strings.Join(asked, " ") != xmlOID+" "+sutrs {
			t.Errorf("%s: syntaxes of the client: %q, %v, after %q", name, got, err, asked)
		}
	}
}

// The client names an element set if the server wants one.
func TestElementSet(t *testing.T) {
	server := accesstest.ServeAll(t, answering(func(m ber.Element) string {
		switch m.Tag {
		case 20:
			return accepts()
		case 22:
			return found(1)
		}
		composition, ok := m.Find(19)
		if !ok {
			return notPresented(25)
		}
		return presented(plain("set " + mustFirst(composition).Text()))
	}))
	for u, want := range map[string]string{"z39.50r://h/db?x": "set F", "z39.50r://h/db?x;esn=B": "set B"} {
		if got, err := fetch(t.Context(), client(server.Dial), u); got != want || err != nil {
			t.Errorf("%s is %q, %v, want %q", u, got, err, want)
		}
	}
}

func mustFirst(e ber.Element) ber.Element {
	first, _ := e.First()
	return first
}

// Words are searched for in any index. If the server does not support that, the client tries
// the other use attributes.
func TestWordsFallback(t *testing.T) {
	searches := 0
	server := accesstest.ServeAll(t, answering(func(m ber.Element) string {
		switch m.Tag {
		case 20:
			return accepts()
		case 22:
			if searches++; searches < 3 {
				return refused(114, "1016")
			}
			return found(0)
		}
		return ""
	}))
	if _, err := fetch(t.Context(), client(server.Dial), "z39.50s://h/db;query=a%20b"); err != nil || searches != 3 {
		t.Errorf("%v after %d searches, want 3", err, searches)
	}
	searches = -99
	if _, err := fetch(t.Context(), client(server.Dial), "z39.50s://h/db;query=a"); err == nil || !strings.Contains(err.Error(), "114 unsupported use attribute: 1016") {
		t.Errorf("if nothing works: %v", err)
	}
	searches = -99
	if _, err := fetch(t.Context(), client(server.Dial), "z39.50s://h/db;query=@attr%201=4%20a"); err == nil || searches != -98 {
		t.Errorf("PQF: %v after %d searches, want 1", err, searches+99)
	}
}
