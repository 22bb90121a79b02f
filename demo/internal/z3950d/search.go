package z3950d

import (
	"fmt"
	"slices"
	"strings"

	"locus/demo/internal/library"
	"locus/internal/ber"
)

// A resultSet has the records that a search found.
type resultSet struct {
	hits    []hit
	explain []*Database // described databases, instead of hits
}

// A hit is a record of a database.
type hit struct {
	database *Database
	*book
}

// count returns the number of records in the set.
func (s *resultSet) count() int { return len(s.hits) + len(s.explain) }

const (
	explainDatabase = "IR-Explain-1"
	bib1            = "1.2.840.10003.3.1"
	explain1        = "1.2.840.10003.3.2"
)

// search answers a SearchRequest: it stores the result set and replies with the number of its
// records. If the request fails, it removes the result set with that name and replies with a
// diagnostic.
func (a *association) search(m ber.Element) []byte {
	set, problem := a.find(m)
	name := text(m, 17)
	if problem == nil {
		problem = a.keep(name, set)
	}
	if problem != nil {
		delete(a.sets, name)
		set = &resultSet{}
	}
	return reply(m, tagSearch+1, func(b *ber.Builder) {
		b.Int(23, int64(set.count()))
		b.Int(24, 0)
		b.Int(25, 1)
		b.Bool(22, problem == nil)
		if problem != nil {
			b.Int(26, 3) // there is no result set
			b.In(130, problem.write)
		}
	})
}

// find executes the query of a SearchRequest. It returns the records that match, or a diagnostic if
// the query is wrong.
func (a *association) find(m ber.Element) (*resultSet, *diagnostic) {
	names, databases, problem := a.databases(m, 18)
	if problem != nil {
		return nil, problem
	}
	q, _ := m.Find(21)
	rpn, ok := q.Find(1)
	set, root, problem := queryOf(rpn)
	if !ok || problem != nil {
		return nil, orMalformed(problem)
	}
	a.Log.Line(fmt.Sprintf("search %s: %q", strings.Join(names, "+"), termsOf(root, 0)))
	if slices.Equal(names, []string{explainDatabase}) {
		return a.explain(set, root)
	}
	result := &resultSet{}
	for _, d := range databases {
		match, problem := a.compile(root, d, 0)
		if problem != nil {
			return nil, problem
		}
		for i := range d.records {
			if b := &d.records[i]; match(b) {
				result.hits = append(result.hits, hit{d, b})
			}
		}
	}
	return result, nil
}

// orMalformed returns problem, or the diagnostic for a malformed query if problem is nil.
func orMalformed(problem *diagnostic) *diagnostic {
	if problem == nil {
		return &diagnostic{108, ""}
	}
	return problem
}

// queryOf returns the attribute set and the tree of an RPNQuery, or a diagnostic if the query is
// malformed.
func queryOf(rpn ber.Element) (set string, root ber.Element, problem *diagnostic) {
	n := 0
	err := rpn.Each(func(e ber.Element) (err error) {
		if n++; n == 1 {
			set, err = e.OID()
		} else {
			root = e
		}
		return err
	})
	if err != nil || n != 2 {
		return "", root, &diagnostic{108, ""}
	}
	return set, root, nil
}

// databases returns the names of the databases in the list of m that has the tag, and the databases
// with these names. For the database of Explain it returns only the name. An unknown database gives
// a diagnostic; so does an empty list.
func (a *association) databases(m ber.Element, tag uint32) (names []string, databases []*Database, problem *diagnostic) {
	list, _ := m.Find(tag)
	err := list.Each(func(e ber.Element) error {
		name := e.Text()
		names = append(names, name)
		i := slices.IndexFunc(a.Databases, func(d *Database) bool { return strings.EqualFold(d.name, name) })
		switch {
		case i >= 0:
			databases = append(databases, a.Databases[i])
		case name != explainDatabase && problem == nil:
			problem = &diagnostic{109, name}
		}
		return nil
	})
	if err != nil || len(names) == 0 {
		return nil, nil, &diagnostic{108, ""}
	}
	return names, databases, problem
}

// explain answers a search in the database of Explain: it returns the descriptions of all
// databases, or an empty set if the query asks for other records. The attribute set must be the set
// of Explain.
func (a *association) explain(set string, root ber.Element) (*resultSet, *diagnostic) {
	if set != explain1 {
		return nil, &diagnostic{121, set}
	}
	if !strings.EqualFold(strings.Join(termsOf(root, 0), " "), "DatabaseInfo") {
		return &resultSet{}, nil
	}
	return &resultSet{explain: a.Databases}, nil
}

// deepest is how deep operators may be nested.
const deepest = 100

// termsOf returns the terms of a query in order, for the log. depth is the number of operators
// around e.
func termsOf(e ber.Element, depth int) (terms []string) {
	if e.Is(45) {
		return []string{e.Text()}
	}
	if depth > deepest {
		return nil
	}
	_ = e.Each(func(part ber.Element) error { // compile refuses malformed parts later
		terms = append(terms, termsOf(part, depth+1)...)
		return nil
	})
	return terms
}

// A matcher reports whether a record is found.
type matcher func(*book) bool

// compile returns the matcher of an RPNStructure for the records of d, or a diagnostic. depth is
// the number of operators around e; more than deepest are refused.
func (a *association) compile(e ber.Element, d *Database, depth int) (matcher, *diagnostic) {
	switch {
	case depth > deepest:
		return nil, &diagnostic{6, ""}
	case e.Is(0):
		operand, _ := e.First()
		if operand.Is(31) {
			return a.inSet(operand.Text(), d)
		}
		return compileTerm(operand)
	case !e.Is(1):
		return nil, &diagnostic{108, ""}
	}
	var parts []ber.Element
	err := e.Each(func(part ber.Element) error {
		parts = append(parts, part)
		return nil
	})
	if err != nil || len(parts) != 3 {
		return nil, &diagnostic{108, ""}
	}
	left, problem := a.compile(parts[0], d, depth+1)
	if problem != nil {
		return nil, problem
	}
	right, problem := a.compile(parts[1], d, depth+1)
	if problem != nil {
		return nil, problem
	}
	return combine(parts[2], left, right)
}

// combine returns the matcher of an operator (and, or, and-not) with two operands. Any other
// operator gives a diagnostic.
func combine(operator ber.Element, left, right matcher) (matcher, *diagnostic) {
	op, _ := operator.First()
	switch {
	case op.Is(0):
		return func(b *book) bool { return left(b) && right(b) }, nil
	case op.Is(1):
		return func(b *book) bool { return left(b) || right(b) }, nil
	case op.Is(2):
		return func(b *book) bool { return left(b) && !right(b) }, nil
	}
	return nil, &diagnostic{110, fmt.Sprint(op.Tag)}
}

// inSet returns a matcher for the records of d in the named result set. An unknown set gives a
// diagnostic.
func (a *association) inSet(name string, d *Database) (matcher, *diagnostic) {
	set := a.sets[name]
	if set == nil {
		return nil, &diagnostic{30, name}
	}
	return func(b *book) bool {
		return slices.ContainsFunc(set.hits, func(h hit) bool { return h.database == d && h.book == b })
	}, nil
}

// A condition is a term with its attributes.
type condition struct {
	use, relation, truncation int64
	term                      string
}

// The use attributes of Bib-1.
const (
	useTitle       = 4
	useLocalNumber = 12
	useDate        = 30
	usePublished   = 31
	useAuthor      = 1003
	useAny         = 1016
	useDocID       = 1032
	useAnywhere    = 1035
)

// parseCondition returns the term and the attributes of an AttributesPlusTerm. It returns a
// diagnostic for a relation or truncation that this server lacks. Missing attributes mean any index
// and equality.
func parseCondition(e ber.Element) (c condition, problem *diagnostic) {
	c = condition{use: useAny, relation: equal}
	list, ok := e.Find(44)
	term, hasTerm := e.Find(45)
	if !e.Is(102) || !ok || !hasTerm {
		return c, &diagnostic{229, ""}
	}
	c.term = term.Text()
	_ = list.Each(func(a ber.Element) error {
		kind, value := number(a, 120), number(a, 121)
		switch kind {
		case 1:
			c.use = value
		case 2:
			c.relation = value
		case 5:
			c.truncation = value
		}
		return nil
	})
	if c.relation < less || c.relation > greater {
		problem = &diagnostic{117, fmt.Sprint(c.relation)}
	}
	if c.truncation != 0 && c.truncation != 1 && c.truncation != 100 {
		problem = &diagnostic{120, fmt.Sprint(c.truncation)}
	}
	return c, problem
}

// The relation attributes of Bib-1.
const (
	less         = 1
	lessEqual    = 2
	equal        = 3
	greaterEqual = 4
	greater      = 5
)

// compileTerm returns a matcher for records that have the term in the index of its use attribute.
// An unknown attribute gives a diagnostic.
func compileTerm(e ber.Element) (matcher, *diagnostic) {
	c, problem := parseCondition(e)
	if problem != nil {
		return nil, problem
	}
	switch c.use {
	case useTitle:
		return func(b *book) bool { return c.hasWords(library.Words(b.title)) }, nil
	case useAuthor:
		return func(b *book) bool { return c.hasWords(library.Words(b.author)) }, nil
	case useDate, usePublished:
		return func(b *book) bool { return c.compares(b.year()) }, nil
	case useLocalNumber, useDocID:
		return func(b *book) bool { return strings.EqualFold(b.id, strings.TrimSpace(c.term)) }, nil
	case useAny, useAnywhere:
		return func(b *book) bool { return c.inWords(b.words) }, nil
	}
	return nil, &diagnostic{114, fmt.Sprint(c.use)}
}

// hasWords reports whether every word of the term is in the list. With right truncation, a word
// that begins with the word of the term counts too. It returns false if the term has no words.
func (c condition) hasWords(list []string) bool {
	return c.all(func(word string) bool {
		return slices.ContainsFunc(list, func(w string) bool { return c.isWord(w, word) })
	})
}

// inWords reports whether every word of the term is in set. With right truncation, a word that
// begins with the word of the term counts too. It returns false if the term has no words.
func (c condition) inWords(set map[string]bool) bool {
	return c.all(func(word string) bool {
		if c.truncation != 1 {
			return set[word]
		}
		for w := range set {
			if strings.HasPrefix(w, word) {
				return true
			}
		}
		return false
	})
}

// all reports whether the term has words and has returns true for each of them.
func (c condition) all(has func(string) bool) bool {
	words := library.Words(c.term)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !has(w) })
}

// isWord reports whether have is the word want, or begins with it if the condition has right
// truncation.
func (c condition) isWord(have, want string) bool {
	return have == want || c.truncation == 1 && strings.HasPrefix(have, want)
}

// compares reports whether year stands in the relation of c to the term. It compares them as text.
// An unknown relation means equality. It returns false if the year is unknown ("").
func (c condition) compares(year string) bool {
	if year == "" {
		return false
	}
	order := strings.Compare(year, strings.TrimSpace(c.term))
	switch c.relation {
	case less:
		return order < 0
	case lessEqual:
		return order <= 0
	case greaterEqual:
		return order >= 0
	case greater:
		return order > 0
	}
	return order == 0
}
