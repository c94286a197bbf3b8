package skills

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"hermes-tui/store/atomicfile"
)

// The bounds of bundles.
const (
	maxBundles     = 200
	maxBundleFile  = 64 << 10
	maxBundleParts = 10
)

// BundleOrigin is where bundles come from, beside the origins of skills.
const BundleOrigin = "bundle"

// Bundle is a name for several skills that are called together, with an instruction of
// its own. Only the user calls one. The file has the form of the Hermes Agent system.
type Bundle struct {
	// Name is what it is called by, made from the name in the file or that of the file.
	Name        string
	Description string
	// Skills are the names of its parts, as [Index.Find] takes them.
	Skills      []string
	Instruction string // empty for none

	Path string
	Hash string // of the file
	// State is Ready, Held, Disabled or Shadowed by a skill; Why explains all but the
	// first.
	State State
	Why   string
}

// bundlesIn reads the bundles of a folder: *.yaml and *.yml, by name.
func bundlesIn(dir string) (list []Bundle, problems []Problem) {
	entries, err := os.ReadDir(dir)
	switch {
	case Missing(err) || dir == "":
		return nil, nil
	case err != nil:
		return nil, []Problem{{dir, "It cannot be read: " + cause(err) + "."}}
	}
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		if ext := filepath.Ext(e.Name()); ext != ".yaml" && ext != ".yml" || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if len(list) == maxBundles {
			problems = append(problems, Problem{dir, fmt.Sprintf("More than %d bundles lie here: the others were not read.", maxBundles)})
			break
		}
		b, err := readBundle(file)
		if err == nil {
			if i := slices.IndexFunc(list, func(o Bundle) bool { return o.Name == b.Name }); i >= 0 {
				err = fmt.Errorf("%s has the same name, %s", list[i].Path, b.Name)
			}
		}
		if err != nil {
			problems = append(problems, Problem{file, "This bundle cannot be used: " + cause(err) + "."})
			continue
		}
		list = append(list, b)
	}
	return list, problems
}

func readBundle(file string) (Bundle, error) {
	data, err := Bundle{Path: file}.read()
	if err != nil {
		return Bundle{}, err
	}
	var read struct {
		Name        string   `yaml:"name"`
		Description string   `yaml:"description"`
		Skills      []string `yaml:"skills"`
		Instruction string   `yaml:"instruction"`
	}
	if err := yaml.Unmarshal(data, &read); err != nil {
		return Bundle{}, err
	}
	if read.Name == "" {
		read.Name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	sum := sha256.Sum256(data)
	b := Bundle{
		Name: slug(read.Name), Description: strings.Join(strings.Fields(read.Description), " "), Skills: slices.Compact(read.Skills),
		Instruction: strings.TrimSpace(read.Instruction), Path: file, Hash: hex.EncodeToString(sum[:]), State: Ready,
	}
	switch {
	case b.Name == "":
		return b, fmt.Errorf("its name has no letter or digit: %q", read.Name)
	case len(b.Skills) == 0:
		return b, errors.New("it names no skills")
	case len(b.Skills) > maxBundleParts:
		return b, fmt.Errorf("it names %d skills, more than %d", len(b.Skills), maxBundleParts)
	}
	if b.Description == "" {
		b.Description = "Several skills at once: " + strings.Join(b.Skills, ", ") + "."
	}
	return b, nil
}

// Raw reads its file, for the user to look at.
func (b Bundle) Raw() (string, error) {
	data, err := b.read()
	return string(data), err
}

// read returns the content of its file.
func (b Bundle) read() ([]byte, error) {
	data, _, err := atomicfile.Read(b.Path, maxBundleFile)
	return data, err
}

// judgeBundle decides whether a bundle may be called.
func (l *Library) judgeBundle(b *Bundle, ix *Index) {
	var found []string
	if l.o.Scan != nil {
		found = l.o.Scan(b.Description + "\n" + b.Instruction)
	}
	switch {
	case l.o.Disabled != nil && slices.Contains(l.o.Disabled(), b.Name):
		b.State, b.Why = Disabled, "It is switched off in the settings (skills.disabled)."
	case slices.ContainsFunc(ix.Skills, func(s Skill) bool { return s.Callable() && s.Name == b.Name }):
		b.State, b.Why = Shadowed, "A skill has that name."
	case len(found) > 0 && (l.o.Allowed == nil || !l.o.Allowed(b.Path, b.Hash)):
		b.State, b.Why = Held, fmt.Sprintf("It reads like an attempt to take over the agent (%s).", list(found))
	}
}
