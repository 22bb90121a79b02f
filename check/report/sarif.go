package report

import (
	"cmp"
	"encoding/json"
	"io"
	"strings"

	"locus/check"
	"locus/internal/render"
	"locus/url"
)

// sarifHead is the beginning of a SARIF file, up to the first result.
const sarifHead = `{
"$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
"version": "2.1.0",
"runs": [{
"tool": {"driver": {"name": "locus", "rules": [
  {"id": "dead", "shortDescription": {"text": "The link cannot be opened."}},
  {"id": "moved", "shortDescription": {"text": "The link has moved permanently."}, "defaultConfiguration": {"level": "note"}},
  {"id": "bot-wall", "shortDescription": {"text": "The server refuses programs. A browser may open the link."}, "defaultConfiguration": {"level": "warning"}},
  {"id": "soft-404", "shortDescription": {"text": "The page was found, but it probably says that a page is missing."}, "defaultConfiguration": {"level": "warning"}},
  {"id": "parked", "shortDescription": {"text": "The domain of the page probably has no site."}, "defaultConfiguration": {"level": "warning"}},
  {"id": "unchecked", "shortDescription": {"text": "The link cannot be checked."}, "defaultConfiguration": {"level": "note"}}
]}},
"results": [`

type (
	sarifResult struct {
		Rule      string          `json:"ruleId"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
		// Prints identifies a result in later runs, even if its line changes.
		Prints map[string]string `json:"partialFingerprints"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical sarifPlace `json:"physicalLocation"`
	}
	sarifPlace struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn,omitempty"` // in bytes, which is exact in lines of ASCII
	}
)

// SARIF writes a report in the Static Analysis Results Interchange Format 2.1.0, with a result for each place of each
// finding. Links that fail are errors. Of the other links, moved and unchecked links are notes, and dead and suspicious
// links are warnings. Excluded and good links are omitted.
func SARIF(w io.Writer, r *check.Report) error {
	if _, err := io.WriteString(w, sarifHead); err != nil {
		return err
	}
	separator := "\n"
	for f, err := range r.Findings {
		if err != nil {
			return err
		}
		for result := range resultsOf(f) {
			line, err := json.Marshal(result)
			if err != nil {
				return err
			}
			if _, err := io.WriteString(w, separator+string(line)); err != nil {
				return err
			}
			separator = ",\n"
		}
	}
	_, err := io.WriteString(w, "\n]}]}\n")
	return err
}

// resultsOf yields a result for each place of a finding, or one result without a place if the finding has none. It
// yields no result for a finding that is good or excluded.
func resultsOf(f check.Finding) func(yield func(sarifResult) bool) {
	return func(yield func(sarifResult) bool) {
		level := levelOf(f)
		switch level {
		case "":
			return
		case "notice":
			level = "note"
		}
		result := sarifResult{
			Rule: f.Verdict(), Level: level, Message: sarifText{f.String()},
			Prints: map[string]string{"link/v1": cmp.Or(f.Relative, render.Redacted(f.Link))},
		}
		if len(f.Places) == 0 {
			yield(result)
			return
		}
		for _, p := range f.Places {
			at := sarifPlace{Artifact: sarifArtifact{URI: artifactURI(p.Document)}}
			if p.Line > 0 {
				at.Region = &sarifRegion{p.Line, p.Column}
			}
			result.Locations = []sarifLocation{{at}}
			if !yield(result) {
				return
			}
		}
	}
}

// artifactURI returns the URI reference for a document: a URL without its password, or the escaped name of a file. The
// folders in a name must be separated by slashes, also on Windows.
func artifactURI(document string) string {
	if strings.Contains(document, "://") {
		return render.Redacted(document)
	}
	escaped := url.Escape(document, url.RFC3986.Unreserved().With("/:"))
	if first, _, _ := strings.Cut(escaped, "/"); strings.Contains(first, ":") {
		return "./" + escaped // so that the text before the colon is not a scheme
	}
	return escaped
}
