package transfer

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/access"
	"locus/url"
)

// ignoreCase lets the target of a deployment ignore case. A name keeps the case of the file that
// has it already.
func (d *deployment) ignoreCase() {
	target := d.to.Engine
	d.to.Engine = engineFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		folded := *req
		folded.URL = url.MustParse("file://" + existing(filepath.Dir(d.target), req.URL.Path()))
		return target.Do(ctx, &folded)
	})
}

// A file that was sent from behind a link is checked like any other file, although the listing of
// the source has the size and the time of the link.
func TestSendLinkChecked(t *testing.T) {
	d := deployFiles(t, map[string]string{"other": "the new text"})
	symlink(t, "other", filepath.Join(d.source, "README"))
	fill(t, d.target, map[string]string{"readme": "old"})
	d.ignoreCase()
	report, log := d.sendOnce(t, SendOptions{TreeOptions: TreeOptions{Delete: true}, Replace: true})
	if report.Deleted > 0 || report.NotDeleted == nil || report.Files != 1 || !log.hasFailed("README") {
		t.Errorf("Send to a server that ignores case = %+v, want that README failed and no file was deleted", report)
	}
	compareTrees(t, contents(t, d.target), map[string]string{"other": "the new text", "readme": "the new text"})

	d = deployFiles(t, map[string]string{"other": "text"})
	symlink(t, "other", filepath.Join(d.source, "link"))
	target := d.to.Engine
	d.to.Engine = engineFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		r, err := target.Do(ctx, req)
		if err == nil && req.Op == access.Put && strings.HasSuffix(req.URL.Path(), "/link") {
			err = os.Remove(filepath.Join(d.target, "link"))
		}
		return r, err
	})
	if report, log := d.sendOnce(t, SendOptions{}); report.Failed != 1 || !log.hasFailed("link") {
		t.Errorf("Send to a server that loses the file of a link = %+v, want a failure", report)
	}
}

// If an earlier run has sent a file, and the target lists it under a name in another case, Delete
// does not remove the file.
func TestSendFoldedLater(t *testing.T) {
	d := deployFiles(t, map[string]string{"README": "new", "other": "o"})
	fill(t, d.target, map[string]string{"readme": "old"})
	d.ignoreCase()
	d.send(t, SendOptions{Replace: true}, 2, 0, 0)
	report, _ := d.sendOnce(t, SendOptions{TreeOptions: TreeOptions{Delete: true}})
	if report.Deleted > 0 || report.NotDeleted == nil {
		t.Errorf("Send = %+v, want that no file was deleted", report)
	}
	compareTrees(t, contents(t, d.target), map[string]string{"other": "o", "readme": "new"})
}
