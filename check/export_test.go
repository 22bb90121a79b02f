package check

// How many URLs are checked at once if Policy.Jobs is 0.
const (
	FirstJobs = firstJobs
	MaxJobs   = maxJobs
)
