package check

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"
)

type (
	junitCase struct {
		XMLName xml.Name      `xml:"testcase"`
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Failure *junitMessage `xml:"failure"`
		Skipped *junitMessage `xml:"skipped"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes the report in the XML format of JUnit, with a test case for each
// finding. Its class is the first document that has the link. Dead links are
// failures; unchecked and excluded ones are skipped.
func (r *Report) JUnit(w io.Writer) error {
	tests, failures, skipped := 0, 0, 0
	for f, err := range r.Findings {
		if err != nil {
			return err
		}
		tests++
		switch f.Status {
		case Dead:
			failures++
		case Unchecked, Excluded:
			skipped++
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	suites := junitElement("testsuites", "tests", strconv.Itoa(tests), "failures", strconv.Itoa(failures), "skipped", strconv.Itoa(skipped))
	suite := junitElement("testsuite", "name", "links", "tests", strconv.Itoa(tests), "failures", strconv.Itoa(failures),
		"errors", "0", "skipped", strconv.Itoa(skipped))
	err := firstOf(enc.EncodeToken(suites), enc.EncodeToken(suite))
	for f, bad := range r.Findings {
		if err = firstOf(err, bad); err != nil {
			return err
		}
		err = enc.Encode(f.junit())
	}
	if err := firstOf(err, enc.EncodeToken(suite.End()), enc.EncodeToken(suites.End()), enc.Close()); err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}

// junitElement returns the start of an element. attributes are names and values.
func junitElement(name string, attributes ...string) xml.StartElement {
	e := xml.StartElement{Name: xml.Name{Local: name}}
	for i := 0; i < len(attributes); i += 2 {
		e.Attr = append(e.Attr, xml.Attr{Name: xml.Name{Local: attributes[i]}, Value: attributes[i+1]})
	}
	return e
}

func (f Finding) junit() junitCase {
	c := junitCase{Name: display(f.Link), Class: "links"}
	var places []string
	for _, p := range f.Places {
		places = append(places, p.String())
	}
	if len(f.Places) > 0 {
		c.Class = display(f.Places[0].Document)
	}
	m := &junitMessage{Message: f.Explain(), Text: strings.Join(places, "\n")}
	switch f.Status {
	case Dead:
		c.Failure = m
	case Unchecked, Excluded:
		c.Skipped = m
	}
	return c
}
