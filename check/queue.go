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
	// URL has no fragment, unless that has a text directive, which is looked for. It may
	// be a text that is no URL.
	URL string `json:"url"`

	// Crawl also follows the links of the page.
	Crawl bool `json:"walk,omitempty"`

	// Anchors also reads the anchors of the page. Crawl implies it.
	Anchors bool `json:"anchors,omitempty"`

	// Depth is the distance from the first pages in links. Without a limit it is 1
	// for all other pages.
	Depth int `json:"depth,omitempty"`

	// Bad says why URL is no URL; "" if it is one.
	Bad string `json:"bad,omitempty"`
}

// A Source is a document, a file or a page, with its links.
type Source struct {
	Document string `json:"document"`
	Links    []Link `json:"links"`
}

// A Feed gives a [Checker] its jobs, and takes the results. Several goroutines may call its
// methods at once.
type Feed interface {
	// Next returns a job. The caller has it until Done. Next waits while open jobs
	// may add more; once all are done, the error is io.EOF.
	//
	// Jobs with Crawl come first, in the order of Depth: a job waits until all jobs
	// of a smaller Depth are done. So each page is first found on a shortest way.
	// Then come the other jobs, one for each URL. It has Anchors if any job for its
	// URL had. If that is added after the job was returned, there is one more job. A
	// URL that was crawled gets no other job.
	Next(ctx context.Context) (Job, error)

	// Begin reports whether a job of Next is still the caller's, and not another
	// process's. It is called before each attempt. It may wait until earlier results
	// are stored. If it returns false, the caller must not call Done.
	Begin(ctx context.Context, j Job) bool

	// Done adds the result of a job, the links of its page, and jobs for them. It
	// ignores jobs that were added before. It may return before all is stored. If the
	// process is killed then, the job is done again; if it cannot be stored, Next
	// returns the error.
	Done(ctx context.Context, j Job, r Result, found Found) error
}

// A Queue holds the jobs, the results, and the links of all documents. Several
// goroutines may call its methods at once. Package report has one for a single
// process, and package stream one for several.
type Queue interface {
	Feed

	// Seed adds a document that the caller has read, and jobs. It ignores jobs that
	// were added before. It is called before Next, or also later after Seeding. The caller
	// may change the links and the jobs afterwards.
	Seed(ctx context.Context, s Source, jobs []Job) error

	// Seeding says that Seed will be called while jobs are checked, up to Seeded. Do
	// not call it for a crawl: the order of its pages depends on all of them.
	Seeding()

	// Seeded says that Seed will not be called any more. Processes that share a run
	// wait for it.
	Seeded(ctx context.Context) error

	// Report joins the results and the links once Next has returned io.EOF. If ctx is done,
	// it may return its error.
	Report(ctx context.Context, o ReportOptions) (*Report, error)

	// Close closes the files and connections of the queue, which cannot be used any more. It
	// may be called early.
	Close() error
}

// Found is the content of a page: its links, and jobs for them.
type Found struct {
	Links []Link
	Jobs  []Job
}

// Seed adds the links of a document to q.
func Seed(ctx context.Context, q Queue, s Source) error {
	list := jobLists.Get().(*[]Job)
	jobs := (*list)[:0]
	defer func() {
		if cap(jobs) <= maxJobList {
			clear(jobs) // their texts are not kept
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
		if n := len(jobs); n == 0 || jobs[n-1] != j { // links to names in one page stand together
			jobs = append(jobs, j)
		}
	}
	return q.Seed(ctx, s, jobs)
}

// maxJobList is how long a list of jobs may be that is reused.
const maxJobList = 4096

// jobLists are reused by Seed.
var jobLists = sync.Pool{New: func() any { return new([]Job) }}

// Start adds pages to q, to check them and their links. In a report they are in the
// document "".
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

// jobOf returns the job that checks a link.
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

// cutFragment returns a URL without its fragment, and the fragment.
func cutFragment(text string) (u, fragment string) {
	u, fragment, _ = strings.Cut(text, "#")
	return u, fragment
}

// canHaveAnchors reports whether the page at a URL is searched for fragments.
func canHaveAnchors(u string) bool {
	return isWebText(u) || isFileText(u)
}

// A File is a temporary file of a [Spool], such as an empty *os.File.
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
