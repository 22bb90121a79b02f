package rst

import (
	"bytes"
	"regexp"
	"strings"

	"locus/extract/document/internal/emit"
	"locus/extract/document/internal/slug"
	"locus/internal/lazy"
)

// An objectReader finds the ids that Sphinx gives to the objects that directives describe:
//
//	.. module:: os.path             module-os.path
//	.. function:: join(a, *b)       os.path.join
//	.. class:: Path                 os.path.Path
//	   .. method:: open()           os.path.Path.open
//	.. c:function:: int f(int x)    c.f
//	.. option:: -o FILE, --out=F    cmdoption-o, cmdoption-out
//	.. envvar:: HOME                envvar-HOME
type objectReader struct {
	module, program string
	open            []rstObject // the objects around the line
	kind            string      // the directive whose signatures may continue in the next lines, or ""
	indent          int         // the indent of that directive
}

// An rstObject is an object that may hold others, with the indent of its directive.
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

// readLine calls add with the ids that a line with the given indent defines. text is the line without its indent. It
// must be called for each line, in order.
func (o *objectReader) readLine(text []byte, indent int, add func(string)) {
	if len(text) == 0 {
		o.kind = ""
		return
	}
	if o.kind != "" && indent > o.indent && text[0] != ':' && !bytes.HasPrefix(text, []byte(".. ")) {
		o.close(o.indent)
		o.readSignature(o.kind, string(text), o.indent, add)
		return
	}
	o.kind = ""
	o.close(indent)
	if text[0] != '.' {
		return
	}
	if m := rstDirective.Get().FindStringSubmatch(string(text)); m != nil {
		o.indent = indent
		o.readSignature(m[1], strings.TrimSpace(m[2]), indent, add)
	}
}

// close ends the objects whose directives are indented by indent or more.
func (o *objectReader) close(indent int) {
	for len(o.open) > 0 && o.open[len(o.open)-1].indent >= indent {
		o.open = o.open[:len(o.open)-1]
	}
}

// readSignature calls add with the ids of the object or the option that text describes, or keeps the name of the module
// or the program for later ids. text is the argument of the directive kind, which has the given indent, or a further
// signature in a line after it.
func (o *objectReader) readSignature(kind, text string, indent int, add func(string)) {
	switch kind {
	case "module":
		o.module = text
		add("module-" + text)
	case "currentmodule":
		if o.module = text; text == "None" {
			o.module = ""
		}
	case "program":
		o.program = slug.JoinHyphens(strings.ReplaceAll(text, " ", "-")) + "-"
	case "envvar":
		add("envvar-" + text)
	case "option", "cmdoption":
		o.kind = kind
		for option := range strings.SplitSeq(text, ", ") {
			o.addOption(option, add)
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
			o.addObject(kind, m[1], indent, add)
		}
	}
}

// addOption calls add with the id of an option of a program, such as "--output=FILE". The id does not contain the
// option's argument.
func (o *objectReader) addOption(text string, add func(string)) {
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

// addObject calls add with the id of a Python or JavaScript object: its name after the names of the module and the
// classes around it. A class stays open for the objects in it.
func (o *objectReader) addObject(kind, name string, indent int, add func(string)) {
	around := o.module
	if n := len(o.open); n > 0 {
		around = o.open[n-1].name
		// A name may begin with the name of its class.
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

// push opens the named object, whose directive has the given indent, because other objects may be in it.
func (o *objectReader) push(indent int, name string) {
	if len(o.open) < maxRSTObjects && len(name) <= emit.MaxLabel {
		o.open = append(o.open, rstObject{indent, name})
	}
}
