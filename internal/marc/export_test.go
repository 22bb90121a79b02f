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

// ParseAs is [Parse] for a record of a known format.
func ParseAs(b []byte, f Format) (Record, error) {
	s, err := split(b)
	if err != nil {
		return Record{}, err
	}
	return s.record(f), nil
}
