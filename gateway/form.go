package gateway

import (
	"cmp"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	neturl "net/url"
	"strings"

	"locus/access"
	"locus/gateway/internal/page"
	"locus/gateway/internal/refuse"
	"locus/internal/answer"
	"locus/internal/memory"
)

var (
	errNoSearch = refuse.New(http.StatusNotFound, "this URL does not support a search", "")
	errAnswers  = refuse.New(http.StatusBadRequest, "the answers do not match the form", "go back and fill it in again")

	errLongAnswers = refuse.New(http.StatusRequestEntityTooLarge, "the answers are too long: more than 1 MiB, or 32 MiB with files", "go back and shorten them")
)

const (
	// maxFields is how many bytes the encoded answers to a form may have. It is small, because
	// they are kept in memory.
	maxFields = 1 << 20
	// maxForm is how many bytes the answers to a form with files may have. The first MiB of the
	// files is kept in memory, and the rest in temporary files. Package multipart limits the
	// other fields to 10 MiB.
	maxForm = 32 << 20
	// maxFormMemory is how many bytes of a form with files may be kept in memory.
	maxFormMemory = maxFields + 10<<20
	// perFormByte is about how many bytes of memory a byte of a form takes, with its copies.
	perFormByte = 2
)

// form asks Engine for the questions of t, and answers with them as an HTML form.
func (x handler) form(t target) error {
	asked, err := x.opener().open(access.Ask, t)
	if err != nil {
		return err
	}
	x.w.show("no-store", page.Form(x.links(t), asked.Questions))
	return nil
}

// answered opens t with the answers in the body of the request, and answers with the result. If the
// user has named a file for the result, the browser stores the result in that file.
func (x handler) answered(t target) error {
	held, files := x.g.formMemory.Share(x.r.client), x.g.formFiles.Share(x.r.client)
	defer held.Release()  // at the end, because the server may answer late
	defer files.Release() // after the files are removed
	err := readForm(x.w, x.r.Request, held, files)
	if x.r.MultipartForm != nil {
		defer x.r.MultipartForm.RemoveAll() //nolint:errcheck // the system removes temporary files too
	}
	if _, isLong := errors.AsType[*http.MaxBytesError](err); isLong || errors.Is(err, multipart.ErrMessageTooLarge) {
		return errLongAnswers
	} else if errors.Is(err, errFull) {
		return errFull
	} else if err != nil {
		return errAnswers
	}
	o := x.opener()
	req := o.request(access.Get, t)
	q, err := o.do(req.WithOp(access.Ask))
	if err != nil {
		return err
	}
	answers, opened, name, err := answersOf(q.Questions, x.r.Request)
	for _, f := range opened {
		defer f.Close()
	}
	if err != nil {
		return errAnswers
	}
	req.Answers = answers
	resource, err := o.do(req)
	if err != nil {
		return err
	}
	x.w.Header().Set("Cache-Control", "no-store")
	if name == "" {
		return x.answerWith(t, resource, answer.Range{})
	}
	defer resource.Body.Close()
	t = t.at(resource.URL)
	return t.fails(x.stream(t, resource, answer.Range{}, delivery{asBytes: true, stores: true, name: name}))
}

// readForm reads the form that the browser sent into r.PostForm and r.MultipartForm. The error is
// an *http.MaxBytesError or multipart.ErrMessageTooLarge if the form is too long, and wraps errFull
// if memory is short. Any other error means that the form is malformed.
//
// The form takes memory from the share held, and its temporary files take space from the share files. The caller
// releases both.
//
// It does not use ParseMultipartForm of net/http, because ParseMultipartForm takes a form that is
// too long for an empty form, and a form that ends early for a shorter form. ParseMultipartForm
// also refuses a URL with ";" in its query.
func readForm(w *reply, r *http.Request, held, files *memory.Share) error {
	given := r.Header.Get("Content-Type")
	switch mediaType, _, err := mime.ParseMediaType(given); {
	case mediaType == "multipart/form-data":
		return readParts(w, r, held, files)
	case given != "" && (err != nil || mediaType != "application/x-www-form-urlencoded"):
		return http.ErrNotSupported
	}
	text, err := io.ReadAll(&formReader{in: http.MaxBytesReader(w, r.Body, maxFields), of: w, held: held})
	if err != nil {
		return err
	}
	r.PostForm, err = neturl.ParseQuery(string(text))
	return err
}

// readParts implements readForm for a form of the type multipart/form-data, which may have files.
// The caller removes their temporary files with r.MultipartForm.RemoveAll.
func readParts(w *reply, r *http.Request, held, files *memory.Share) error {
	// ReadForm takes io.EOF between parts for the end of the form, so endsEarly follows the body.
	in := &formReader{in: http.MaxBytesReader(w, r.Body, maxForm), of: w, held: held, files: files}
	body := io.MultiReader(in, strings.NewReader("\r\n"), endsEarly{})
	r.Body = io.NopCloser(body)
	parts, err := r.MultipartReader()
	if err != nil {
		return err
	}
	if r.MultipartForm, err = parts.ReadForm(maxFields); err != nil {
		return err
	}
	r.PostForm = r.MultipartForm.Value
	// A file of more than maxFields is not in memory.
	onDisk := 0
	for _, all := range r.MultipartForm.File {
		for _, f := range all {
			if f.Size > maxFields {
				onDisk += int(f.Size)
			}
		}
	}
	held.Shrink(perFormByte * min(in.read-onDisk, maxFormMemory))
	return nil
}

// A formReader reads a form. It takes memory for the bytes that were read, up to maxFormMemory, because the others are
// of files. It takes space in temporary files for a form of more than maxFields bytes. Its error is errFull if memory
// or space is short.
type formReader struct {
	in    io.Reader
	of    *reply
	held  *memory.Share
	files *memory.Share // nil for a form without files
	read  int           // in bytes
}

// Read reads from r.in, and takes memory and space. If it cannot take them, it returns the error together with the
// bytes.
func (r *formReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	r.read += n
	if full := r.of.take(r.held, perFormByte*min(r.read, maxFormMemory)); full != nil {
		return n, full
	}
	if r.files != nil && r.read > maxFields {
		if full := r.of.take(r.files, r.read); full != nil {
			return n, full
		}
	}
	return n, err
}

// endsEarly is a Reader that fails, because only a form without its last boundary is read so far.
type endsEarly struct{}

func (endsEarly) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// answersOf reads the answers to q from the form that readForm has read, and opens the files among
// them. The caller closes the files, also after an error. saveAs is the name of the file in which
// the user wants the result, or "" if the user typed no name. In that case, the answer for the
// server is the name that the form suggests.
func answersOf(q *access.Questions, r *http.Request) (answers []access.Answer, files []io.Closer, saveAs string, err error) {
	for _, item := range page.Questions(q) {
		var a access.Answer
		switch item.Kind {
		case access.AskSave:
			given := strings.TrimSpace(r.PostFormValue(item.ID))
			saveAs = cmp.Or(saveAs, given)
			a.Text = cmp.Or(given, item.Default)
		case access.AskSelect:
			a.Text = "0"
			if r.PostFormValue(item.ID) != "" {
				a.Text = "1"
			}
		case access.AskFile:
			var f multipart.File
			f, _, err = r.FormFile(item.ID)
			if errors.Is(err, http.ErrMissingFile) {
				break
			}
			if err != nil {
				return nil, files, "", err
			}
			files = append(files, f)
			a.File = f
		case access.AskText:
			a.Text = strings.ReplaceAll(r.PostFormValue(item.ID), "\r\n", "\n")
		default:
			a.Text = r.PostFormValue(item.ID)
		}
		answers = append(answers, a)
	}
	return answers, files, saveAs, nil
}
