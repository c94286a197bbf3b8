package files

import (
	"fmt"
	"path/filepath"

	"hermes-tui/tools"
)

// binaryFailure is the answer to reading what is no text.
func binaryFailure(view tools.View, path, kind string, size int64) tools.Result {
	message := binaryMessage(path, kind)
	view.Summary = kind
	return tools.Result{
		Content: tools.JSON(struct {
			Error  string `json:"error"`
			Binary bool   `json:"is_binary"`
			Image  bool   `json:"is_image,omitempty"`
			Size   int64  `json:"file_size"`
		}{message, true, kind == imageKind, size}),
		Status: tools.StatusFailed, View: view,
	}
}

// notFound is the answer to a path that leads nowhere, with names that may have
// been meant.
func (f *Files) notFound(view tools.View, t target) tools.Result {
	message := fmt.Sprintf("%q does not exist", t.name)
	if _, seen := f.memory.seen(t.real); seen {
		message = fmt.Sprintf("%q does not exist any more: it was deleted or moved since you last saw it", t.name)
	}
	dir := filepath.Dir(t.name)
	var similar []string
	entries, err := f.fs.ReadDir(dir)
	if err != nil {
		message += fmt.Sprintf("; neither does its directory, the nearest that exists is %q", f.nearest(dir))
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	for _, name := range tools.SimilarNames(filepath.Base(t.name), names, 5) {
		similar = append(similar, filepath.Join(dir, name))
	}
	view.Summary = "not found"
	return tools.Result{
		Content: tools.JSON(struct {
			Error   string   `json:"error"`
			Similar []string `json:"similar_files,omitempty"`
		}{message, similar}),
		Status: tools.StatusFailed, View: view,
	}
}

// nearest is the closest directory above a path that exists.
func (f *Files) nearest(dir string) string {
	for {
		parent := filepath.Dir(dir)
		st, err := f.fs.Stat(parent)
		if parent == dir || err == nil && st.IsDir() {
			return parent
		}
		dir = parent
	}
}
