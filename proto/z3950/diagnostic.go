package z3950

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/internal/ber"
)

// A Diagnostic is a server's reason for not fulfilling a request. It is the Sys of an entry of
// kind [access.Failure], which replaces a record that the server did not send.
type Diagnostic struct {
	Set       string // object identifier of the diagnostic set; usually Bib-1
	Condition int    // number of the diagnostic in Set
	Detail    string // additional text of the server, which may be empty
}

const bib1Diagnostics = "1.2.840.10003.4.1"

// String returns the meaning of the condition, and the detail: "database unavailable: books".
func (d *Diagnostic) String() string {
	text := ""
	if d.Set == bib1Diagnostics || d.Set == "" {
		text = conditions[d.Condition]
	}
	text = cmp.Or(text, fmt.Sprintf("diagnostic %d", d.Condition))
	if detail := strings.TrimSpace(d.Detail); detail != "" {
		text += ": " + detail
	}
	return text
}

// refusal returns the diagnostic as an error. It wraps the meaning of d, if there is one, and its Sys is d.
func (d *Diagnostic) refusal() *engine.Refusal {
	r := &engine.Refusal{Reply: access.Reply{Code: d.Condition, Text: d.String()}, Sys: d}
	if means := d.means(); means != nil {
		r.Means = engine.Reason("", means) // without text, because the reply has the text
	}
	return r
}

// means returns the error that the diagnostic stands for, such as fs.ErrNotExist; nil if only its text is known.
func (d *Diagnostic) means() error {
	if d.Set != bib1Diagnostics && d.Set != "" {
		return nil
	}
	switch d.Condition {
	case 13, 30, 109, 235, 1029:
		return fs.ErrNotExist
	case 15, 101, 102, 103, 104, 236, 1011, 1012, 1013, 1014, 1017, 1018, 1022, 1023, 1024:
		return fs.ErrPermission
	case 2, 27, 28, 29, 31, 32, 33, 1015, 1016, 1019, 1020, 1021, 1027:
		return access.ErrTemporary
	case 1, 14, 1028:
		return access.ErrServer
	}
	if d.isUnsupported() {
		return errors.ErrUnsupported
	}
	return nil
}

// isUnsupported reports whether the server lacks something that the request needs. Another form
// of the request may succeed.
func (d *Diagnostic) isUnsupported() bool {
	switch n := d.Condition; {
	case n == 3, n >= 18 && n <= 20, n >= 22 && n <= 26, n == 106, n == 107, n == 110, n >= 113 && n <= 124, n == 129:
		return true
	case n == 131, n == 132, n >= 201 && n <= 211, n >= 229 && n <= 233, n == 238, n == 239, n >= 243 && n <= 247, n == 1025, n == 1026:
		return true
	}
	return false
}

// isSyntax reports whether the server lacks the requested record syntax.
func (d *Diagnostic) isSyntax() bool {
	return d.Condition == 238 || d.Condition == 239 || d.Condition == 106
}

// isElementSet reports whether the server lacks the requested element set.
func (d *Diagnostic) isElementSet() bool { return d.Condition >= 24 && d.Condition <= 26 }

// parseDiagnostic reads a DefaultDiagFormat: the set, the condition and the detail. e may
// have any tag.
func parseDiagnostic(e ber.Element) (*Diagnostic, error) {
	d := &Diagnostic{}
	n := 0
	err := e.Each(func(part ber.Element) (err error) {
		n++
		switch {
		case part.IsUniversal(ber.TagOID):
			d.Set, err = part.OID()
		case part.IsUniversal(ber.TagInteger):
			var condition int64
			condition, err = part.Int()
			d.Condition = int(condition)
		case part.Class == ber.Universal && d.Detail == "":
			d.Detail = part.Text()
		}
		return err
	})
	if err != nil {
		return nil, malformed(err)
	}
	if n == 0 {
		return nil, fmt.Errorf("%w: an empty diagnostic", access.ErrProtocol)
	}
	return d, nil
}

// parseDiagRec reads a DiagRec, which is a DefaultDiagFormat or an EXTERNAL.
func parseDiagRec(e ber.Element) (*Diagnostic, error) {
	if e.IsUniversal(ber.TagExternal) {
		if d := findDiagnostic(e, 0); d != nil {
			return d, nil
		}
		return &Diagnostic{Set: "external"}, nil
	}
	return parseDiagnostic(e)
}

// findDiagnostic returns the first DefaultDiagFormat in e or in the elements that it contains, or nil.
// depth is the number of elements around e. An element with more than 16 elements around it is not
// searched.
func findDiagnostic(e ber.Element, depth int) *Diagnostic {
	const deepest = 16
	if depth > deepest {
		return nil
	}
	if first, ok := e.First(); ok && first.IsUniversal(ber.TagOID) {
		oid, err := first.OID()
		if err == nil && strings.HasPrefix(oid, "1.2.840.10003.4.") {
			if d, err := parseDiagnostic(e); err == nil && d.Condition != 0 {
				return d
			}
		}
	}
	var found *Diagnostic
	_ = e.Each(func(part ber.Element) error { // a malformed part cannot contain a diagnostic
		if found == nil {
			found = findDiagnostic(part, depth+1)
		}
		return nil
	})
	return found
}

// malformed returns an error of package ber as an access.ErrTooLong or access.ErrProtocol. It returns other errors, and
// nil, unchanged.
func malformed(err error) error {
	switch {
	case errors.Is(err, ber.ErrTooLong):
		return fmt.Errorf("%w: %w", access.ErrTooLong, err)
	case errors.Is(err, ber.ErrSyntax):
		return fmt.Errorf("%w: %w", access.ErrProtocol, err)
	}
	return err
}

// conditions are the texts of the diagnostics of Bib-1.
var conditions = map[int]string{
	1:    "permanent system error",
	2:    "temporary system error",
	3:    "unsupported search",
	4:    "the query has only words that are too common",
	5:    "too many words in the query",
	6:    "too many operators in the query",
	7:    "too many truncated words in the query",
	8:    "too many incomplete subfields",
	9:    "a truncated word is too short",
	10:   "invalid number of a record in the query",
	11:   "the query is too long",
	12:   "too many records found",
	13:   "no record at this position",
	14:   "system error while presenting records",
	15:   "the record must not be sent to another system",
	16:   "the record is larger than the preferred message size",
	17:   "the record is larger than the largest record size",
	18:   "a result set is not supported as a search term",
	19:   "only one result set is supported as a search term",
	20:   "a result set is supported as a search term only with AND",
	21:   "the result set exists and is not to be replaced",
	22:   "names of result sets are not supported",
	23:   "this combination of databases is not supported",
	24:   "names of element sets are not supported",
	25:   "the database does not have this element set",
	26:   "only generic names of element sets are supported",
	27:   "the result set was deleted by the server",
	28:   "the result set is in use",
	29:   "a database is locked",
	30:   "no such result set",
	31:   "out of resources, no results",
	32:   "out of resources, some results",
	33:   "out of resources, a part of the results",
	100:  "unspecified error",
	101:  "access control failed",
	102:  "a login is needed, and could not be asked for",
	103:  "a login is needed for this record, and could not be asked for",
	104:  "the login failed for this record",
	105:  "stopped on request",
	106:  "no syntax was agreed on for this record",
	107:  "query type not supported",
	108:  "malformed query",
	109:  "database unavailable",
	110:  "operator not supported",
	111:  "too many databases",
	112:  "too many result sets",
	113:  "unsupported type of attribute",
	114:  "unsupported use attribute",
	115:  "unsupported value for the use attribute",
	116:  "a use attribute is needed",
	117:  "unsupported relation attribute",
	118:  "unsupported structure attribute",
	119:  "unsupported position attribute",
	120:  "unsupported truncation attribute",
	121:  "unsupported attribute set",
	122:  "unsupported completeness attribute",
	123:  "unsupported combination of attributes",
	124:  "unsupported encoding of a term",
	125:  "malformed term",
	126:  "illegal term for this attribute",
	127:  "a term that cannot be read",
	128:  "illegal name of a result set",
	129:  "proximity of result sets is not supported",
	130:  "illegal result set in a proximity search",
	131:  "unsupported relation of proximity",
	132:  "unsupported unit of proximity",
	201:  "proximity is not supported with these attributes",
	202:  "unsupported distance",
	203:  "order is not supported with proximity",
	205:  "only a step size of zero is supported",
	206:  "unsupported step size",
	207:  "cannot sort in this order",
	208:  "sort needs the name of a result set",
	209:  "only the sort of a database is supported",
	210:  "the sort of a database is not supported",
	211:  "too many sort keys",
	212:  "duplicate sort keys",
	213:  "unsupported action for missing values",
	214:  "illegal sort relation",
	215:  "illegal value for case",
	216:  "illegal action for missing values",
	217:  "records may not fit into segments",
	218:  "extended services: the package name is in use",
	219:  "extended services: no such package",
	220:  "extended services: quota exceeded",
	221:  "extended services: type not supported",
	222:  "extended services: permission denied: no such user",
	223:  "extended services: permission denied",
	224:  "extended services: cannot modify immediately",
	225:  "extended services: cannot cancel",
	226:  "extended services: package type not supported",
	227:  "no data is available in the record syntax",
	229:  "type of term not supported",
	230:  "sort: too many result sets",
	231:  "sort: incompatible record formats",
	232:  "the terms of this index cannot be listed",
	233:  "scan: unsupported position of the term",
	234:  "too many terms of an index",
	235:  "database does not exist",
	236:  "access to the database denied",
	237:  "sort: illegal sort",
	238:  "the record is not available in this syntax",
	239:  "record syntax not supported",
	240:  "scan: out of resources while looking for terms",
	241:  "scan: beginning or end of the list of terms",
	242:  "a segment is too small for a record",
	243:  "additional ranges are not supported",
	244:  "specifications of composition are not supported",
	245:  "restriction of a result set is not supported",
	246:  "complex attribute values are not supported",
	247:  "an attribute set for one attribute is not supported",
	1001: "malformed APDU",
	1011: "bad user",
	1012: "bad user or password",
	1013: "no searches remain for this user",
	1014: "this user may not use this interface",
	1015: "the authentication system failed",
	1016: "too many sessions of this user",
	1017: "this network address is blocked",
	1018: "no databases are available for this user",
	1019: "the system is temporarily out of resources",
	1020: "the system is down for maintenance",
	1021: "the system is temporarily unavailable",
	1022: "the account has expired",
	1023: "the password has expired",
	1024: "the password has been changed by an administrator",
	1025: "unsupported attribute",
	1026: "the database does not have this service",
	1027: "the record is locked",
	1028: "SQL error",
	1029: "the record is deleted",
	1030: "scan: too many terms requested",
}
