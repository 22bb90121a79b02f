package check

import (
	"context"
	"crypto/sha256"
	"iter"
	"strings"

	"locus/url"
)

// A Job is a URL to check.
type Job struct {
	// URL has no fragment. Of what is no URL it is the text.
	URL string `json:"url"`

	// Walk also reads the links of what is found.
	Walk bool `json:"walk,omitempty"`

	// Anchors also reads what fragments it has. Walk does, too.
	Anchors bool `json:"anchors,omitempty"`

	// Depth is how many links away it is from the first page, or 1 for all but
	// those if there is no limit.
	Depth int `json:"depth,omitempty"`

	// Bad says why it is no URL; "" if it is one.
	Bad string `json:"bad,omitempty"`
}

// A Key tells jobs apart. Two jobs with one key are the same work.
type Key [16]byte

// Key returns what tells j from other jobs: its URL, and whether it walks.
// Whether its fragments are wanted is known when no job that walks is left.
func (j Job) Key() Key {
	text := j.URL
	if j.Walk {
		text += "#"
	}
	sum := sha256.Sum256([]byte(text))
	return Key(sum[:16])
}

// A Source is a document whose links were found: a file, or a page.
type Source struct {
	Document string `json:"document"`
	Links    []Link `json:"links"`
}

// A Queue holds what is to be checked, what has been seen, and what was found.
// Its methods may be called by several goroutines at once.
type Queue interface {
	// Seed takes a document that was read by the caller, and jobs: those that
	// were not taken before. It is called before Next.
	Seed(ctx context.Context, s Source, jobs []Job) error

	// Next returns a job, which is the caller's until Done; it waits for one if
	// jobs that are not done may bring more. When all are done the error is
	// io.EOF. Jobs that walk come first, and bring all there are; those of a depth
	// come when all that are less deep are done, so that each page is first found
	// by a shortest way. The others come when none of those is left, each once:
	// with Anchors if any job for its URL had that, and not at all if its URL was
	// walked through.
	Next(ctx context.Context) (Job, error)

	// Done takes what came of a job: its result, the links of its page, and the
	// jobs that follow from those, unless they were taken before. Nothing of it
	// is lost once it returns.
	Done(ctx context.Context, j Job, r Result, found Found) error

	// Results yields what came of every job.
	Results(ctx context.Context) iter.Seq2[Result, error]

	// Sources yields every document, in an order of its own.
	Sources(ctx context.Context) iter.Seq2[Source, error]
}

// Found is what a page has: links, and the jobs that follow from them.
type Found struct {
	Links []Link
	Jobs  []Job
}

// Seed puts the links of a document into q.
func Seed(ctx context.Context, q Queue, s Source) error {
	jobs := make([]Job, 0, len(s.Links))
	for _, l := range s.Links {
		jobs = append(jobs, jobOf(l))
	}
	return q.Seed(ctx, s, jobs)
}

// Start puts pages into q whose links are to be checked. In a report they stand
// in the document "".
func Start(ctx context.Context, q Queue, pages ...url.URL) error {
	var s Source
	var jobs []Job
	for _, page := range pages {
		at := normal(page).String()
		s.Links = append(s.Links, Link{URL: at})
		at, _ = cutFragment(at)
		jobs = append(jobs, Job{URL: at, Walk: true})
	}
	return q.Seed(ctx, s, jobs)
}

// jobOf returns what checks a link.
func jobOf(l Link) Job {
	if l.Bad != "" {
		return Job{URL: l.URL, Bad: l.Bad}
	}
	u, fragment := cutFragment(l.URL)
	return Job{URL: u, Anchors: wantsAnchor(fragment) && hasPages(u)}
}

// cutFragment returns a URL without its fragment, and that.
func cutFragment(text string) (u, fragment string) {
	u, fragment, _ = strings.Cut(text, "#")
	return u, fragment
}

// hasPages reports whether fragments of a URL are looked for.
func hasPages(u string) bool {
	return strings.HasPrefix(u, "http:") || strings.HasPrefix(u, "https:") || strings.HasPrefix(u, "file:")
}
