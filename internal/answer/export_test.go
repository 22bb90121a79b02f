package answer

// ParseRange is for tests.
var ParseRange = parseRange
