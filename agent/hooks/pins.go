package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Pin is a file that a command names, as it is now.
type Pin struct {
	Path string
	Sum  string // in hex; empty when there is no such file
}

// Where is what the words of a command mean.
type Where struct {
	Dir  string // the command's working directory
	Home string // the user's
	Path string // the PATH of programs
	// Vars are variables that the command may use.
	Vars map[string]string
}

// maxPinned bounds a file that a hook may consist of, in bytes.
const maxPinned = 64 << 20

// words are those of a command, as far as they are known without running it: a part that
// is not known makes the word unknown. plain is the program with its arguments, when that
// is all that the command is.
func words(command string, at Where) (list [][]string, plain []string, err error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return nil, nil, errors.New("its command cannot be read as one of a shell")
	}
	env := expand.FuncEnviron(func(name string) string {
		if name == "HOME" {
			return at.Home
		}
		return at.Vars[name]
	})
	cfg := &expand.Config{Env: env, NoUnset: true, CmdSubst: func(io.Writer, *syntax.CmdSubst) error { return errors.New("not run") }}
	simple := len(file.Stmts) == 1
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			var call []string
			for _, w := range n.Args {
				text, err := expand.Literal(cfg, w)
				if err != nil {
					text = ""
				}
				simple = simple && err == nil && literal(w)
				call = append(call, text)
			}
			simple = simple && len(n.Assigns) == 0
			list = append(list, call)
		case *syntax.Redirect:
			if text, err := expand.Literal(cfg, n.Word); err == nil && n.Op == syntax.RdrIn {
				list = append(list, []string{"", text})
			}
			simple = false
		case *syntax.File, *syntax.Stmt, *syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted, *syntax.ParamExp, nil:
		default:
			simple = false
		}
		return true
	})
	if len(file.Stmts) == 1 {
		if s := file.Stmts[0]; s.Background || s.Negated || s.Coprocess {
			simple = false
		}
	}
	if len(list) == 0 {
		return nil, nil, errors.New("its command is empty")
	}
	if simple && len(list) == 1 {
		plain = list[0]
	}
	return list, plain, nil
}

// literal reports whether a word means one text, whatever files there are.
func literal(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "*?[{\\") {
				return false
			}
		case *syntax.SglQuoted:
			if p.Dollar {
				return false
			}
		case *syntax.DblQuoted:
		default:
			return false
		}
	}
	return true
}

// program finds a bare name in the PATH; empty if there is none.
func program(name, path string) string {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		file := filepath.Join(dir, name)
		if st, err := os.Stat(file); err == nil && st.Mode().IsRegular() {
			return file
		}
	}
	return ""
}

// scripts are the ends of names of files that are run by another program.
var scripts = strings.Fields(".sh .bash .zsh .fish .py .js .mjs .cjs .ts .mts .rb .pl .php .lua .awk .sed .jq .ps1 .bat .cmd .jar .wasm")

// runs reports whether a file that a program is given is one that it runs, as far as that
// can be told from the file.
func runs(file string) bool {
	st, err := os.Stat(file)
	if err != nil || !st.Mode().IsRegular() {
		return false
	}
	if st.Mode().Perm()&0o111 != 0 || slices.Contains(scripts, strings.ToLower(filepath.Ext(file))) {
		return true
	}
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	var begin [2]byte
	_, err = io.ReadFull(f, begin[:])
	return err == nil && string(begin[:]) == "#!"
}

// pins are the files that a command runs: its programs, where they are named by a path or
// are the user's own, and the scripts among the other words. Programs of the system are not
// among them. argv is what to start without a shell, nil where that needs one.
func pins(command string, at Where) (list []Pin, argv []string, err error) {
	calls, argv, err := words(command, at)
	if err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{}
	add := func(file string, must bool) error {
		if seen[file] {
			return nil
		}
		sum, err := sumOf(file)
		if errors.Is(err, errNoFile) && !must {
			return nil
		}
		if err != nil && !errors.Is(err, errNoFile) {
			return err
		}
		seen[file] = true
		list = append(list, Pin{file, sum})
		return nil
	}
	for _, call := range calls {
		for i, word := range call {
			if word == "" || strings.Contains(word, "\n") {
				continue
			}
			file, must := word, strings.Contains(word, "/")
			if _, value, ok := strings.Cut(word, "="); ok && i > 0 && strings.HasPrefix(word, "-") {
				file, must = value, false
			}
			switch {
			case i == 0 && !must:
				if file = program(word, at.Path); file == "" || at.Home == "" || !strings.HasPrefix(file, at.Home+string(filepath.Separator)) {
					continue
				}
			case !filepath.IsAbs(file):
				file = filepath.Join(at.Dir, file)
			}
			if file = filepath.Clean(file); i > 0 && call[0] != "" && !runs(file) {
				continue
			}
			if err := add(file, must && i == 0); err != nil {
				return nil, nil, err
			}
		}
	}
	slices.SortFunc(list, func(a, b Pin) int { return strings.Compare(a.Path, b.Path) })
	if len(argv) > 0 && !strings.Contains(argv[0], "/") {
		argv[0] = program(argv[0], at.Path)
	} else if len(argv) > 0 && !filepath.IsAbs(argv[0]) {
		argv[0] = filepath.Join(at.Dir, argv[0])
	}
	if len(argv) > 0 && argv[0] == "" {
		argv = nil // the shell knows: a builtin, or none
	}
	return list, argv, nil
}

// errNoFile says that there is no regular file.
var errNoFile = errors.New("no file")

// sumOf is the hash of a regular file.
func sumOf(file string) (string, error) {
	st, err := os.Stat(file)
	if err != nil || !st.Mode().IsRegular() {
		return "", errNoFile
	}
	if st.Size() > maxPinned {
		return "", fmt.Errorf("the file %s is longer than %d MB", file, maxPinned>>20)
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrPermission) {
		return "", fmt.Errorf("the file %s cannot be read", file)
	}
	if err != nil {
		return "", errNoFile
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, maxPinned+1)); err != nil {
		return "", fmt.Errorf("the file %s cannot be read", file)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
