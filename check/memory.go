package check

import (
	"context"
	"io"
	"iter"
	"sync"
)

// A Memory is a Queue in the memory of one process. It ends with the process.
type Memory struct {
	mu      sync.Mutex
	change  sync.Cond
	index   map[Key]uint32 // of what was seen, into results
	results []record
	todo    []Job
	begun   int // jobs of todo that were taken
	done    int // jobs that are done
	texts   []string
	known   map[string]uint32 // of texts
	places  []place
	bad     map[uint32]string // why a text is no URL
}

// A record is a result in little memory: most are good and say no more.
type record struct {
	url    uint32
	status Status
	done   bool
	more   *Result // if there is more to say
}

// A place is a link in little memory: the texts are those of Memory.texts.
type place struct{ document, url, line, column uint32 }

// NewMemory returns an empty queue.
func NewMemory() *Memory {
	m := &Memory{index: make(map[Key]uint32), known: make(map[string]uint32), bad: make(map[uint32]string)}
	m.change.L = &m.mu
	return m
}

// Seed takes a document, and the jobs that were not taken before.
func (m *Memory) Seed(_ context.Context, s Source, jobs []Job) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(s.Document, Found{s.Links, jobs})
	return nil
}

// Next returns the jobs in the order in which they came.
func (m *Memory) Next(ctx context.Context) (Job, error) {
	stop := context.AfterFunc(ctx, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.change.Broadcast()
	})
	defer stop()
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.begun == len(m.todo) {
		switch {
		case ctx.Err() != nil:
			return Job{}, context.Cause(ctx)
		case m.done == m.begun:
			return Job{}, io.EOF
		}
		m.change.Wait()
	}
	j := m.todo[m.begun]
	m.todo[m.begun] = Job{}
	m.begun++
	return j, nil
}

// Done keeps what came of a job.
func (m *Memory) Done(_ context.Context, j Job, r Result, found Found) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	rec := record{url: m.text(j.URL), status: r.Status, done: true}
	if r.Status != Good || r.Hops != nil || r.Anchors != nil || r.Known {
		rec.more = &r
	}
	m.results[m.index[j.Key()]] = rec
	m.add(j.URL, found)
	m.done++
	m.change.Broadcast()
	return nil
}

func (m *Memory) add(document string, found Found) {
	from := m.text(document)
	for _, l := range found.Links {
		to := m.text(l.URL)
		if l.Bad != "" {
			m.bad[to] = l.Bad
		}
		m.places = append(m.places, place{from, to, uint32(max(l.Line, 0)), uint32(max(l.Column, 0))})
	}
	for _, j := range found.Jobs {
		key := j.Key()
		if _, seen := m.index[key]; seen {
			continue
		}
		m.index[key] = uint32(len(m.results))
		m.results = append(m.results, record{})
		m.todo = append(m.todo, j)
	}
}

// text returns the number of a text.
func (m *Memory) text(s string) uint32 {
	n, ok := m.known[s]
	if !ok {
		n = uint32(len(m.texts))
		m.texts = append(m.texts, s)
		m.known[s] = n
	}
	return n
}

// Results yields what came of the jobs so far, in the order in which they came.
func (m *Memory) Results(context.Context) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, rec := range m.results {
			r := Result{URL: m.texts[rec.url], Status: rec.status}
			if rec.more != nil {
				r = *rec.more
			}
			if rec.done && !yield(r, nil) {
				return
			}
		}
	}
}

// Sources yields the documents in the order in which they came.
func (m *Memory) Sources(context.Context) iter.Seq2[Source, error] {
	return func(yield func(Source, error) bool) {
		m.mu.Lock()
		defer m.mu.Unlock()
		for i := 0; i < len(m.places); {
			s := Source{Document: m.texts[m.places[i].document]}
			for at := m.places[i].document; i < len(m.places) && m.places[i].document == at; i++ {
				p := m.places[i]
				s.Links = append(s.Links, Link{URL: m.texts[p.url], Line: int(p.line), Column: int(p.column), Bad: m.bad[p.url]})
			}
			if !yield(s, nil) {
				return
			}
		}
	}
}
