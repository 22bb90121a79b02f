package check

// maxKnown is how many servers or folders of one kind a run remembers.
const maxKnown = 100_000

// remember adds a new key to known, a map of the servers or folders of a run, and returns the map. If known is nil or
// full, remember returns a new map, because links may lead to any number of servers. Then the run learns again about
// the servers and folders in the old map when it comes to them.
func remember[V any](known map[string]V, key string, value V) map[string]V {
	if known == nil || len(known) >= maxKnown {
		known = make(map[string]V)
	}
	known[key] = value
	return known
}
