package check

// AnchorOf returns the hash of an anchor in Result.Anchors.
var AnchorOf = anchorOf

// How many URLs are checked at the same time if Policy.Jobs is 0.
const (
	FirstJobs = firstJobs
	MaxJobs   = maxJobs
)
