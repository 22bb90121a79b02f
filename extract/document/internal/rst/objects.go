package rst

import (
	"regexp"
	"strings"

	"locus/extract/document/internal/emit"
	"locus/internal/lazy"
)

// rstObjects find the ids that Sphinx gives to what directives describe:
//
//	.. module:: os.path             module-os.path
//	.. function:: join(a, *b)       os.path.join
//	.. class:: Path                 os.path.Path
//	   .. method:: open()           os.path.Path.open
//	.. c:function:: int f(int x)    c.f
//	.. option:: -o FILE, --out=F    cmdoption-o, cmdoption-out
//	.. envvar:: HOME                envvar-HOME
type rstObjects struct {
	module, program string
	open            []rstObject // around the line
	kind            string      // of the signatures that may follow; "": none
	indent          int         // of their directive
}

// An rstObject is a class, and where its directive stands.
type rstObject struct {
	indent int
	name   string
}

// maxRSTObjects is how deep descriptions may be nested.
const maxRSTObjects = 32

var (
	rstDirective = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
		return regexp.MustCompile(`^\.\.[ \t]+(?:(?:py|js|std):)?((?:c:)?[a-z]+)::[ \t]+(.*)$`)
	}}
	rstSignature = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
		return regexp.MustCompile(`^@?(?:(?:class|async|abstract|static|final)[ \t]+)*([\pL_$][\pL\pN_.$]*)`)
	}}
	rstCName = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`([A-Za-z_][\w.]*)[ \t]*(?:$|[(\[=:])`) }}
)

// line calls add with the ids that a line of that indent begins with.
func (o *rstObjects) line(text string, indent int, add func(string)) {
	if text == "" {
		o.kind = ""
		return
	}
	if o.kind != "" && indent > o.indent && text[0] != ':' && !strings.HasPrefix(text, ".. ") {
		o.close(o.indent)
		o.signature(o.kind, text, o.indent, add)
		return
	}
	o.kind = ""
	o.close(indent)
	if m := rstDirective.Get().FindStringSubmatch(text); m != nil {
		o.indent = indent
		o.signature(m[1], strings.TrimSpace(m[2]), indent, add)
	}
}

// close ends the objects whose directives have an indent, or a larger one.
func (o *rstObjects) close(indent int) {
	for len(o.open) > 0 && o.open[len(o.open)-1].indent >= indent {
		o.open = o.open[:len(o.open)-1]
	}
}

// signature reads what follows the name of a directive.
func (o *rstObjects) signature(kind, text string, indent int, add func(string)) {
	switch kind {
	case "module":
		o.module = text
		add("module-" + text)
	case "currentmodule":
		if o.module = text; text == "None" {
			o.module = ""
		}
	case "program":
		o.program = emit.JoinHyphens(strings.ReplaceAll(text, " ", "-")) + "-"
	case "envvar":
		add("envvar-" + text)
	case "option", "cmdoption":
		o.kind = kind
		for option := range strings.SplitSeq(text, ", ") {
			o.option(option, add)
		}
	case "c:function", "c:macro", "c:type", "c:var", "c:member", "c:struct", "c:union", "c:enum", "c:enumerator":
		o.kind = kind
		if m := rstCName.Get().FindStringSubmatch(text); m != nil {
			name := m[1]
			if n := len(o.open); n > 0 {
				name = o.open[n-1].name + "." + name
			}
			add("c." + name)
			o.push(indent, name)
		}
	case "class", "exception", "function", "method", "classmethod", "staticmethod", "attribute", "property", "data", "decorator",
		"decoratormethod", "coroutinefunction", "coroutinemethod":
		o.kind = kind
		if m := rstSignature.Get().FindStringSubmatch(text); m != nil {
			o.object(kind, m[1], indent, add)
		}
	}
}

// option adds the id of an option of a program.
func (o *rstObjects) option(text string, add func(string)) {
	name := text
	if at := strings.IndexAny(text, " =["); at >= 0 {
		name = text[:at]
	}
	bare := strings.TrimLeft(name, "-/+")
	if bare == "" {
		return
	}
	if bare == name {
		bare = "arg-" + bare
	}
	add("cmdoption-" + o.program + bare)
}

// object adds the id of an object of Python or JavaScript.
func (o *rstObjects) object(kind, name string, indent int, add func(string)) {
	around := o.module
	if n := len(o.open); n > 0 {
		around = o.open[n-1].name
		// A name may begin with that of its class.
		name = strings.TrimPrefix(name, around[strings.LastIndexByte(around, '.')+1:]+".")
	}
	if around != "" {
		name = around + "." + name
	}
	add(name)
	if kind == "class" || kind == "exception" {
		o.push(indent, name)
	}
}

// push adds an object that may have others in it.
func (o *rstObjects) push(indent int, name string) {
	if len(o.open) < maxRSTObjects && len(name) <= emit.MaxLabel {
		o.open = append(o.open, rstObject{indent, name})
	}
}
