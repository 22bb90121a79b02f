package rewrite

import "strings"

// isPartAttribute reports whether browsers load the URL in the attribute with this name on
// every element.
func isPartAttribute(name string) bool {
	switch name {
	case "background", "srcset", "imagesrcset", "data-srcset", "data-src", "poster", "lowsrc", "dynsrc":
		return true
	}
	return false
}

// loadsSource reports whether browsers load the URL in the attribute src of an element.
func loadsSource(element string) bool {
	switch element {
	case "img", "image", "input", "source", "video", "audio", "track", "embed", "script", "iframe", "frame", "bgsound":
		return true
	}
	return false
}

// isPartPlace reports whether browsers load the URL at a place, such as "object data", for which
// the element and the attribute together decide. It knows only the places that isPartAttribute and
// loadsSource do not cover.
func isPartPlace(place string) bool {
	switch place {
	case "object data", "image href", "image xlink:href", "use href", "use xlink:href", "feimage href", "feimage xlink:href",
		"script href", "script xlink:href":
		return true
	}
	return false
}

// isPartRelation reports whether browsers load the URL of a link element that has this word in
// its rel.
func isPartRelation(word string) bool {
	switch word {
	case "stylesheet", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "apple-touch-startup-image", "mask-icon",
		"fluid-icon", "manifest", "preload", "modulepreload":
		return true
	}
	return false
}

// isName reports whether the URL in an attribute only names something, so that browsers do not
// load it.
func isName(attribute string) bool {
	switch attribute {
	case "itemid", "itemtype", "profile", "classid", "codebase", "usemap", "cite":
		return true
	}
	return false
}

// isCSS reports whether a place is in a style sheet.
func isCSS(place string) bool {
	return place == "url()" || place == "@import" || place == "image-set()"
}

// useOf returns the use of a reference. place is where the reference stands, such as "img src"
// or "url()", and rel is the attribute rel of its element, or "".
func useOf(place, rel string) Use {
	element, attribute, _ := strings.Cut(place, " ")
	switch {
	case isCSS(place), isPartAttribute(attribute), attribute == "src" && loadsSource(element), isPartPlace(place):
		return Part
	case attribute == "hint":
		return Hint
	case place == "base href":
		return Base
	case attribute == "action", attribute == "formaction", attribute == "post", attribute == "ping":
		return Submit
	case isName(attribute):
		return Name
	case place == "link href":
		for word := range strings.FieldsSeq(rel) {
			if isPartRelation(word) {
				return Part
			}
		}
	}
	return Link
}
