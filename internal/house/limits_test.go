package house_test

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every limit of the public packages follows one rule: 0 means the documented default, and
// a negative value means no limit. A count of retries is the exception: a negative value
// means that requests are not repeated, because a request must end.

// amounts are numbers and times that are not limits: "Field" in every type, "pkg.Type" with
// all its fields, and "pkg.Type.Field".
var amounts = []string{
	// places and sizes of data
	"Offset", "Length", "Line", "Column", "Size", "Records", "Position", "Hits", "Listed", "Number",
	"terminal.Screen", "terminal.Scrolled", "proto/tn3270.Picture", "proto/wais.Hit", "proto/nfs.Attributes", "proto/sftp.Attributes",
	"proto/nntp.Group", "proto/nntp.Overview", "proto/prospero.Attribute", "scheme.Z3950", "scheme.IMAP", "access.NeedMore", "check/stream.Damage",
	// names and codes
	"Port", "DefaultPort", "MountPort", "Code", "HTTPStatus", "Condition", "proto/nfs.Identity", "proto/tn3270.Client.Model",
	// results
	"access.Cookies.Changes", "RetryAfter", "limit.TimeoutError", "retry.LongPause", "retry.GaveUp",
	"transfer.Event", "transfer.Report", "transfer.SendReport", "transfer.Result", "transfer.Uploaded",
	"check/report.Part", "check/report.PartError", "check.Report", "check.Result", "check.Job", "check/stream.Run", "access.Request.Attempt", "locus.TraceInfo", "locus.TraceDone",
	// requested amounts
	"transfer.Filter.Part", "transfer.Filter.Parts", "access.Request.MoreEntries", "check/stream.Options.Replicas", "check/stream.Options.Lease", "demo.Faults",
}

var (
	explainsZero     = regexp.MustCompile(`\b0(: | means | is the default| counts as )`)
	explainsNegative = regexp.MustCompile(`(?i)negative(: | (value|number)( also)? means )`)
)

func TestLimits(t *testing.T) {
	found := 0
	for _, s := range sources(t) {
		if s.test || !slices.Contains(stable, s.pkg) && !slices.Contains(changing, s.pkg) {
			continue
		}
		for _, f := range numbers(s) {
			if isAmount(f.name) {
				continue
			}
			found++
			if !explainsZero.MatchString(f.comment) || !explainsNegative.MatchString(f.comment) {
				t.Errorf("%s: the comment of %s must explain 0 and negative values, as in \"0 means a minute, and a negative value means no limit\"; it is %q. If the field is not a limit, add it to amounts in internal/house/limits_test.go", f.at, f.name, f.comment)
			}
		}
	}
	if found < 40 {
		t.Errorf("found only %d limits, so the test does not see the sources", found)
	}
}

// isAmount reports whether a field, such as "retry.Policy.Time", is not a limit.
func isAmount(field string) bool {
	typ, name := field[:strings.LastIndexByte(field, '.')], field[strings.LastIndexByte(field, '.')+1:]
	return slices.Contains(amounts, name) || slices.Contains(amounts, typ) || slices.Contains(amounts, field)
}

// A number is an exported field of an exported struct that is a number or a duration.
type number struct{ name, at, comment string }

// numbers returns the numbers of a file.
func numbers(s source) []number {
	var all []number
	for _, d := range s.ast.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			typ, ok := spec.(*ast.TypeSpec)
			if !ok || !typ.Name.IsExported() {
				continue
			}
			if fields, ok := typ.Type.(*ast.StructType); ok {
				all = append(all, numbersOf(s, typ.Name.Name, fields)...)
			}
		}
	}
	return all
}

func numbersOf(s source, typ string, fields *ast.StructType) []number {
	var all []number
	for _, f := range fields.Fields.List {
		if !isNumber(f.Type) {
			continue
		}
		comment := strings.Join(strings.Fields(f.Doc.Text()+" "+f.Comment.Text()), " ")
		for _, name := range f.Names {
			if name.IsExported() {
				all = append(all, number{s.pkg + "." + typ + "." + name.Name, s.fset.Position(name.Pos()).String(), comment})
			}
		}
	}
	return all
}

// isNumber reports whether a type is a number, a duration, or a pointer to one.
func isNumber(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.StarExpr:
		return isNumber(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name == "Duration"
	case *ast.Ident:
		return slices.Contains([]string{"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "float32", "float64"}, e.Name)
	}
	return false
}
