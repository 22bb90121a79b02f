package content

import (
	"errors"
	"fmt"
	"io"

	"locus/gateway/internal/entry"
	"locus/gateway/internal/refuse"
	"locus/internal/bibliography"
)

const (
	maxDescriptions      = 100  // records that one page shows
	maxDescriptionFields = 5000 // fields that one page shows
)

// A Bibliography has the data of the page of bibliographic records.
type Bibliography struct {
	Descriptions []bibliography.Description
	Size         int64  // bytes of the resource; -1 if unknown
	Cut          bool   // the resource has more records
	Problem      string // why some records could not be read
}

// ReadBibliography reads the records of a body with a media type for which Viewer returns
// "records". At the limits of the gateway it stops without an error and sets b.Cut. mistakes has the
// errors of the records that it leaves out, and the error that ended the body early. err is an error
// of the gateway itself, such as a lack of memory, or says that mediaType has no records.
func ReadBibliography(mediaType string, body io.Reader) (b Bibliography, mistakes []error, err error) {
	in := &io.LimitedReader{R: body, N: MaxText}
	format, ok := bibliography.Of(entry.BaseType(mediaType))
	if !ok || format.Read == nil {
		return b, nil, fmt.Errorf("%s has no bibliographic records", mediaType)
	}
	left := maxDescriptionFields
	for d, err := range format.Read(in) {
		_, isOwn := errors.AsType[*refuse.Error](err)
		switch {
		case isOwn:
			return b, mistakes, err
		case err != nil && in.N <= 0, len(b.Descriptions) == maxDescriptions:
			b.Cut = true
			return b, mistakes, nil
		case err != nil:
			mistakes = append(mistakes, err)
			continue
		}
		isLong := len(d.Fields) > left
		d.Fields = d.Fields[:min(len(d.Fields), left)]
		b.Descriptions = append(b.Descriptions, d)
		if left -= len(d.Fields); isLong {
			b.Cut = true
			return b, mistakes, nil
		}
	}
	return b, mistakes, nil
}
