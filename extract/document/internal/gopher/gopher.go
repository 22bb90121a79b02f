// Package gopher reads Gopher menus (RFC 1436).
package gopher

import (
	"bytes"
	"strconv"
	"strings"

	"locus/extract"
	"locus/extract/document/internal/emit"
	"locus/internal/facts"
	"locus/scheme"
	"locus/url"
)

// Read adds the URL of every item of a menu (RFC 1436 §3). A selector "URL:…" is itself the URL, and its line may
// have no host, as in the files from which servers make menus. Items of information and errors have no URL, so their
// text is searched. A line "." ends the menu.
func Read(d *emit.Emitter) {
	d.InOrder = true
	for at, line := range emit.Lines(d.Text, 0) {
		text := bytes.TrimRight(line, "\r\n")
		if string(text) == "." {
			return
		}
		readItem(d, text, at)
	}
}

// readItem adds the URL of the item in a line, which is at offset at. If the line is information or an error, or lacks
// fields, readItem searches its text for URLs instead. It ignores an item with an invalid host or port.
func readItem(d *emit.Emitter, line []byte, at int) {
	fields := strings.Split(string(line), "\t")
	isText := fields[0] == "" || line[0] == 'i' || line[0] == '3'
	var text string
	switch {
	case !isText && len(fields) > 1 && ownURL(fields[1]) != "":
		text = ownURL(fields[1])
	case isText, len(fields) < 4:
		from, to := at, at+len(fields[0])
		if len(fields) > 1 && from < to {
			from++ // the item's type
		}
		d.ReadText(emit.Slice(d.Text, from, to), "")
		return
	default:
		port, err := strconv.ParseUint(strings.TrimSpace(fields[3]), 10, 16)
		if err != nil || port == 0 || fields[2] == "" {
			return
		}
		text = itemURL(line[0], fields[1], scheme.Host{Name: fields[2], Port: uint16(port)})
	}
	m := extract.Match{Offset: int64(at), Length: len(line), Text: text, Kind: extract.Reference, Place: "item " + string(line[:1])}
	if _, err := m.URL(); err == nil && text != "" {
		d.Add(m, nil)
	}
}

// ownURL returns the URL in a selector "URL:…", or "" for another selector.
func ownURL(selector string) string {
	selector = strings.TrimPrefix(selector, "/")
	if len(selector) < len("url:") || !strings.EqualFold(selector[:len("url:")], "url:") {
		return ""
	}
	return selector[len("url:"):]
}

// itemURL returns the URL of an item of type kind: a telnet or tn3270 URL for the types 8 and T, and otherwise a gopher
// URL. It returns "" if the URL cannot be built.
func itemURL(kind byte, selector string, host scheme.Host) string {
	switch kind {
	case '8', 'T':
		name := "telnet"
		if kind == 'T' {
			name = "tn3270"
		}
		user := url.Part{}
		if selector != "" {
			user = url.Some(url.Escape(selector, url.RFC3986.Unreserved()))
		}
		u, err := url.RFC3986.Build(url.Parts{
			Scheme: url.Some(name), User: user, Host: url.Some(host.Name), Port: url.Some(strconv.Itoa(int(host.Port))),
		})
		if err != nil {
			return ""
		}
		return u.String()
	}
	if host.Port == facts.Of("gopher").Port {
		host.Port = 0
	}
	return scheme.Gopher{Host: host, Type: kind, Selector: selector}.URL().String()
}
