package marc

// HasCode reports whether a set has a character for a code.
func HasCode(set byte, code uint32) bool {
	t := loadTables.Get()
	if set == eacc {
		_, ok := t.eacc[code]
		return ok
	}
	return t.single[set][code].isKnown
}
