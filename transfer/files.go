package transfer

import (
	"context"
	"iter"
	"os"
	"sync"

	"locus/access"
	"locus/transfer/internal/fetch"
)

// GetFiles fetches files into root with [GetFile], and returns when all of them have ended. It
// receives up to jobs files at once (0 or less means 4). While these are received, it verifies and
// renames up to jobs others. When ctx is done, it begins no other file.
//
// An error in files belongs to a file that cannot be fetched, for example because its URL does not
// give it a name. GetFiles sends a [Failed] event for such a file, and passes the error to ended.
//
// GetFiles calls ended once for each file that it took from files, one call at a time. err is nil
// if the file is complete. hasPart says that a partial file is left, which Options.Continue
// resumes. GetFiles does not call o.Received.
func GetFiles(ctx context.Context, engine access.Engine, root *os.Root, files iter.Seq2[File, error], jobs int, o Options, ended func(f File, err error, hasPart bool)) {
	o.Event = fetch.OneAtATime(o.Event)
	if jobs <= 0 {
		jobs = 4
	}
	var all sync.WaitGroup
	defer all.Wait()
	var ending sync.Mutex
	begun, receiving := make(chan struct{}, 2*jobs), make(chan struct{}, jobs)
	for f, invalid := range files {
		if ctx.Err() != nil {
			return
		}
		begun <- struct{}{}
		receiving <- struct{}{}
		o := o
		o.Received = sync.OnceFunc(func() { <-receiving })
		all.Go(func() {
			defer func() { <-begun }()
			defer o.Received()
			err, hasPart := invalid, false
			if invalid != nil {
				o.Event(Event{Kind: Failed, URL: f.URL, Size: -1, Err: invalid})
			} else if err = GetFile(ctx, engine, root, f, o); err != nil {
				_, noPart := root.Lstat(f.Name + fetch.PartSuffix)
				hasPart = noPart == nil
			}
			ending.Lock()
			defer ending.Unlock()
			ended(f, err, hasPart)
		})
	}
}
