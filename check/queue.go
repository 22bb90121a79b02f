package check

import (
	"context"
	"io"
	"strings"
	"sync"

	"locus/url"
)

// A Job is a URL to check.
type Job struct {
	// URL has no fragment, except one with a text directive, which is then looked for in the page. It may be a text
	// that is not a URL.
	URL string `json:"url"`

	// Crawl means that the links of the page are followed.
	Crawl bool `json:"walk,omitempty"`

	// Anchors means that the anchors of the page are read. Crawl implies it.
	Anchors bool `json:"anchors,omitempty"`

	// Depth is the distance in links from the first pages. Without a limit it is 1 for all other pages.
	Depth int `json:"depth,omitempty"`

	// Bad says why URL cannot be opened, usually because it is not a URL. It is "" if URL can be opened.
	Bad string `json:"bad,omitempty"`
}

// A Source is a document, such as a file or a page, with its links.
type Source struct {
	Document string `json:"document"`
	Links    []Link `json:"links"`
}

// A Feed gives a [Checker] its jobs, and takes the results. Several goroutines may call its
// methods at once.
type Feed interface {
	// Next returns a job, which is the caller's until Done. While open jobs may add further jobs, Next waits. Once
	// all jobs are done, the error is io.EOF.
	//
	// Jobs with Crawl come first, in the order of Depth: a job waits until all jobs of a smaller Depth are done, so
	// that each page is first found by a shortest path. Then come the other jobs, one for each URL. A job has Anchors
	// if any job that was added for its URL has Anchors. If such a job is added after the URL's job was returned, the
	// URL gets one more job. A URL that was crawled gets no other job.
	Next(ctx context.Context) (Job, error)

	// Begin reports whether a job of Next still belongs to the caller, and not to another process. It is called
	// before each attempt. It may wait until earlier results are stored. If it returns false, the caller must not
	// call Done.
	Begin(ctx context.Context, j Job) bool

	// Done adds the result of a job, the links of its page, and jobs for them. It ignores jobs that were added
	// before. It may return before everything is stored. If the process is then killed, the job is done again. If the
	// data cannot be stored, Next returns the error.
	Done(ctx context.Context, j Job, r Result, found Found) error
}

// A Queue holds the jobs, the results, and the links of all documents. Several goroutines may call its methods at
// once. Package report has a Queue for a single process, and package stream one for several.
type Queue interface {
	Feed

	// Seed adds a document that the caller has read, and jobs. It ignores jobs that were added before. It must be
	// called before Next, or after Seeding. The caller may change the links and the jobs after Seed has returned.
	Seed(ctx context.Context, s Source, jobs []Job) error

	// Seeding says that Seed will also be called while jobs are checked, until Seeded is called. It must not be used
	// for a crawl, because the order of the crawled pages depends on all seeds.
	Seeding()

	// Seeded says that Seed will not be called again. Processes that share a run wait for it.
	Seeded(ctx context.Context) error

	// Report joins the results and the links. It must not be called before Next has returned io.EOF. If ctx is done,
	// it may return the error of ctx.
	Report(ctx context.Context, o ReportOptions) (*Report, error)

	// Close closes the files and connections of the queue, which cannot be used afterwards. It may be called before
	// the run is complete.
	Close() error
}

// Found holds the links of a page, and jobs for them.
type Found struct {
	Links []Link
	Jobs  []Job
}

// Seed adds a document and jobs for its links to q. It leaves out jobs for links that it has added before.
func Seed(ctx context.Context, q Queue, s Source) error {
	list := jobLists.Get().(*[]Job)
	jobs := (*list)[:0]
	defer func() {
		if cap(jobs) <= maxJobList {
			clear(jobs) // so that the URLs can be freed
			*list = jobs
		}
		jobLists.Put(list)
	}()
	for i := range s.Links {
		l := &s.Links[i]
		if l.known != nil && (l.known.isSeeded.Load() || l.known.isSeeded.Swap(true)) {
			continue
		}
		j := jobOf(*l)
		if n := len(jobs); n == 0 || jobs[n-1] != j { // links to several fragments of one page are often adjacent
			jobs = append(jobs, j)
		}
	}
	return q.Seed(ctx, s, jobs)
}

// maxJobList is the capacity of the largest list of jobs that is reused.
const maxJobList = 4096

// jobLists holds lists of jobs that Seed reuses.
var jobLists = sync.Pool{New: func() any { return new([]Job) }}

// Start adds pages to q, which are checked and crawled. In a report they are links of the document "".
func Start(ctx context.Context, q Queue, pages ...url.URL) error {
	var s Source
	var jobs []Job
	for _, page := range pages {
		at := normalize(page).String()
		s.Links = append(s.Links, Link{URL: at})
		at, _ = cutFragment(at)
		jobs = append(jobs, Job{URL: at, Crawl: true})
	}
	return q.Seed(ctx, s, jobs)
}

// jobOf returns the job that checks the page to which l leads, and does not crawl it. Its URL is the page's URL without
// the fragment, unless the fragment has a text directive. Anchors is set if the fragment is to be checked. A link with
// an invalid URL becomes a job with Bad.
func jobOf(l Link) Job {
	if l.Bad != "" {
		return Job{URL: l.URL, Bad: l.Bad}
	}
	u, fragment := cutFragment(l.URL)
	if canHaveAnchors(u) && len(textDirectives(fragment)) > 0 {
		return Job{URL: l.URL, Anchors: true}
	}
	return Job{URL: u, Anchors: wantsAnchor(fragment) && canHaveAnchors(u)}
}

// cutFragment returns a URL without its fragment, and the fragment without "#"; "" if there is no fragment.
func cutFragment(text string) (u, fragment string) {
	u, fragment, _ = strings.Cut(text, "#")
	return u, fragment
}

// canHaveAnchors reports whether the page at a URL may be searched for fragments, because its scheme is http, https or
// file.
func canHaveAnchors(u string) bool {
	return isWebText(u) || isFileText(u)
}

// A File is a temporary file of a queue or a report, such as an empty *os.File.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// A LogFile is a file that keeps a run, such as an *os.File.
type LogFile interface {
	File
	Truncate(size int64) error
}
