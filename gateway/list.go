package gateway

import (
	"bufio"
	"errors"
	"net/http"
	"slices"
	"strings"

	"locus/access"
	"locus/internal/render"
)

// A format is how a listing is written: its place in formats.
type format int

const (
	asPage format = iota
	asJSON
	asLines
	asURIs
)

// formats are the media types of listings.
var formats = []string{"text/html", "application/json", "application/x-ndjson", "text/uri-list"}

// contentType returns the Content-Type of a listing.
func (f format) contentType() string {
	if f == asPage {
		return "text/html; charset=utf-8"
	}
	return formats[f]
}

// formatOf returns the format that a program asks for by name. Browsers get pages.
func formatOf(h http.Header) format {
	for part := range strings.SplitSeq(h.Get("Accept"), ",") {
		if i := slices.Index(formats, baseType(part)); i >= 0 {
			return format(i)
		}
	}
	return asPage
}

// list answers with a listing.
func (x *exchange) list(resource *access.Resource, f format) error {
	h := x.w.Header()
	h.Set("Content-Type", f.contentType())
	h.Add("Vary", "Accept")
	if f == asPage {
		return x.listPage(resource, display{})
	}
	to := x.toClient()
	body := x.compress(to)
	out := bufio.NewWriter(body)
	err := writeEntries(out, resource.List, f)
	switch {
	case err == nil:
		err = errors.Join(out.Flush(), body.Close())
	case to.began:
		err = errors.Join(err, out.Flush(), body.Flush())
	}
	if err != nil && to.began {
		x.broken(err)
	}
	return err
}

func writeEntries(out *bufio.Writer, l access.Lister, f format) error {
	switch f {
	case asURIs:
		return access.Entries(l, render.URIList(out))
	case asLines:
		return access.Entries(l, render.JSON(out))
	}
	write := render.JSON(out)
	separator := "["
	err := access.Entries(l, func(e access.Entry) error {
		out.WriteString(separator)
		separator = ","
		return write(e)
	})
	if err != nil {
		return err
	}
	if separator == "[" {
		out.WriteString("[")
	}
	_, err = out.WriteString("]\n")
	return err
}
