package z3950

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/internal/ber"
	"locus/scheme"
)

// A Database is the Sys of an entry for a database.
type Database struct {
	Name        string
	Description string // "" if the server does not describe it
	Records     int64  // number of records; -1 if unknown
}

// fields returns the description and the number of records as header fields, without those that are
// unknown.
func (d *Database) fields() access.Header {
	var fields access.Header
	if d.Description != "" {
		fields = append(fields, access.Field{Name: "Description", Value: d.Description})
	}
	if d.Records >= 0 {
		fields = append(fields, access.Field{Name: "Records", Value: strconv.FormatInt(d.Records, 10)})
	}
	return fields
}

const (
	explainDatabase = "IR-Explain-1"
	defaultDatabase = "Default" // the usual name on a server with one database
	maxDatabases    = 10_000
)

// databases asks for the databases of the server (Z39.50 §3.2.10, Explain), and stores their
// titles in titles. The descriptions of all databases together have at most largestRecord
// bytes.
func (a *association) databases(titles map[string]string) ([]Database, error) {
	q := &query{set: explain1, root: &node{term: term{attributes: []attribute{attr(useAttribute, 1)}, text: "DatabaseInfo"}}}
	set, err := a.search(defaultSet, []string{explainDatabase}, []*query{q})
	if err != nil {
		return nil, err
	}
	set.syntaxes = []string{syntaxExplain, syntaxXML}
	var list []Database
	size := 0
	for next := int64(1); next <= min(set.hits, maxDatabases); {
		records, err := set.present(next, min(set.hits-next+1, firstWindow))
		if err != nil {
			return nil, err
		}
		err = records.Each(func(e ber.Element) error {
			next++
			r, err := parseRecord(e)
			if err != nil || r.diagnostic != nil {
				return err
			}
			if d, title, ok := r.databaseInfo(); ok && d.Name != explainDatabase {
				list = append(list, d)
				titles[d.Name] = title
				size += len(d.Name) + len(d.Description) + len(title)
			}
			if size > largestRecord {
				return fmt.Errorf("%w: databases with descriptions of more than %d bytes", ber.ErrTooLong, largestRecord)
			}
			return nil
		})
		if err != nil {
			return nil, malformed(err)
		}
	}
	return list, nil
}

// databaseInfo reads the description of a database from an Explain record. ok is false if the
// record describes something else.
func (r rawRecord) databaseInfo() (d Database, title string, ok bool) {
	if r.isASN1 {
		return parseDatabaseInfo(r.value)
	}
	// QUIRK: Zebra 2.2 sends Explain records as XML, and not in their own syntax.
	var x struct {
		Info struct {
			Name        string `xml:"name"`
			Title       string `xml:"titleString"`
			Description string `xml:"description"`
			Count       *int64 `xml:"recordCount>recordCountActual"`
		} `xml:"databaseInfo"`
	}
	if xml.Unmarshal(r.data, &x) != nil {
		return d, "", false
	}
	d = Database{Name: x.Info.Name, Description: strings.TrimSpace(x.Info.Description), Records: -1}
	if n := x.Info.Count; n != nil && *n >= 0 {
		d.Records = *n
	}
	return d, strings.TrimSpace(x.Info.Title), d.Name != ""
}

// parseDatabaseInfo reads the DatabaseInfo in an Explain-Record. ok is false if it has none, or
// one without a name.
func parseDatabaseInfo(e ber.Element) (d Database, title string, ok bool) {
	if !e.Is(1) {
		return d, "", false
	}
	d.Records = -1
	name, ok := e.Find(1)
	if inner, isNested := name.First(); isNested {
		name = inner
	}
	d.Name = name.Text()
	if h, has := e.Find(7); has {
		title = humanString(h)
	}
	if h, has := e.Find(9); has {
		d.Description = humanString(h)
	}
	if count, has := e.Find(14); has {
		number, _ := count.First()
		if n, err := number.Int(); err == nil && n >= 0 {
			d.Records = n
		}
	}
	return d, title, ok && d.Name != ""
}

// humanString returns the first text of a HumanString, which has the same text in several
// languages. It returns "" if e is malformed.
func humanString(e ber.Element) string {
	first, _ := e.First()
	text, _ := first.Find(1)
	return text.Text()
}

// explainText converts an Explain record to text. The record must describe a database.
func explainText(e ber.Element) ([]byte, error) {
	d, title, ok := parseDatabaseInfo(e)
	if !ok {
		return nil, engine.Reason("an Explain record of another kind than a database", access.ErrProtocol)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "Database: %s\n", d.Name)
	if title != "" {
		fmt.Fprintf(&b, "Title: %s\n", title)
	}
	for _, f := range d.fields() {
		fmt.Fprintf(&b, "%s: %s\n", f.Name, f.Value)
	}
	return b.Bytes(), nil
}

// openServer lists the databases of the server. If the server lacks Explain, the list has only a
// hint and the database "Default".
func (a *association) openServer() (*listing, error) {
	titles := map[string]string{}
	list, err := a.databases(titles)
	switch {
	case err != nil && diagnosticOf(err) == nil:
		return nil, err
	case len(list) == 0:
		const why = "The server does not list its databases. Many servers have one of this name."
		return a.static(access.Entry{Title: why, Kind: access.Info, Size: -1}, a.databaseEntry(Database{Name: defaultDatabase, Records: -1}, "")), nil
	}
	entries := make([]access.Entry, len(list))
	for i, d := range list {
		entries[i] = a.databaseEntry(d, titles[d.Name])
	}
	return a.static(entries...), nil
}

// databaseEntry returns the entry to search d. Its title is the name of d if title is "".
func (a *association) databaseEntry(d Database, title string) access.Entry {
	v := scheme.Z3950{Host: a.view.Host, User: a.view.User, Databases: []string{d.Name}}
	return access.Entry{Title: cmp.Or(title, d.Name), URL: v.URL(), Kind: access.Search, Size: -1, Header: d.fields(), Sys: &d}
}

// openDatabase returns a listing with an entry to search the databases of the URL.
func (a *association) openDatabase() *listing {
	var entries []access.Entry
	if about := a.server.about(); about != "" {
		entries = append(entries, access.Entry{Title: about, Kind: access.Info, Size: -1})
	}
	e := a.searchEntry()
	e.URL = a.view.URL()
	return a.static(append(entries, e)...)
}

// about returns a line about the server, or "" if the server does not send its name.
func (s Server) about() string {
	switch {
	case s.Name == "":
		return ""
	case s.Version == "":
		return "Server: " + s.Name
	}
	return "Server: " + s.Name + " " + s.Version
}

// static returns a listing of these entries, and ends the association.
func (a *association) static(entries ...access.Entry) *listing {
	a.finish()
	return a.listing(func() (access.Entry, error) {
		if len(entries) == 0 {
			return access.Entry{}, io.EOF
		}
		e := entries[0]
		entries = entries[1:]
		return e, nil
	})
}
