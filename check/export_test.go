package check

// How many URLs are checked at the same time if Policy.Jobs is 0.
const (
	FirstJobs = firstJobs
	MaxJobs   = maxJobs
)
