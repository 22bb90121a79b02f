package rewrite

import "strings"

// partAttributes load something on any element, and partPlaces on one. An attribute href of
// a link element depends on its rel.
var (
	partAttributes = set("background srcset imagesrcset data-srcset data-src poster lowsrc dynsrc")
	partElements   = set("img image input source video audio track embed script iframe frame bgsound")
	partPlaces     = set("object data", "image href", "image xlink:href", "use href", "use xlink:href", "feimage href", "feimage xlink:href", "script href", "script xlink:href")
	partRelations  = set("stylesheet icon apple-touch-icon apple-touch-icon-precomposed apple-touch-startup-image mask-icon fluid-icon manifest preload modulepreload")
	nameAttributes = set("itemid itemtype profile classid codebase usemap cite")
	submitting     = set("action formaction ping")
)

// set returns the words of a text, or several texts.
func set(texts ...string) map[string]bool {
	if len(texts) == 1 {
		texts = strings.Fields(texts[0])
	}
	all := make(map[string]bool, len(texts))
	for _, t := range texts {
		all[t] = true
	}
	return all
}

// isCSS reports whether a place is in a style sheet.
func isCSS(place string) bool {
	return place == "url()" || place == "@import" || place == "image-set()"
}

// useOf returns the use of a reference at a place, in an element with a rel.
func useOf(place, rel string) Use {
	element, attribute, _ := strings.Cut(place, " ")
	switch {
	case isCSS(place), partAttributes[attribute], attribute == "src" && partElements[element], partPlaces[place]:
		return Part
	case attribute == "hint":
		return Hint
	case place == "base href":
		return Base
	case submitting[attribute]:
		return Submit
	case nameAttributes[attribute]:
		return Name
	case place == "link href":
		for word := range strings.FieldsSeq(rel) {
			if partRelations[word] {
				return Part
			}
		}
	}
	return Link
}
