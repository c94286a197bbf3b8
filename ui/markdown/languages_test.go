package markdown

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"flag"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

var updateLexers = flag.Bool("update-lexers", false, "write lexers.zip from the module of chroma")

// chosen are the languages that are coloured, by chroma's names for them.
const chosen = `Ada,Awk,Bash,Bash Session,Batchfile,C,C#,C++,CMake,COBOL,CSS,CSV,CUE,Clojure,Crystal,Cython,D,Dart,Diff,
Django/Jinja,Docker,Elixir,Elm,Erlang,FSharp,Fish,Fortran,GDScript,GLSL,GAS,Gherkin,Gleam,Go,Go Text Template,GraphQL,Groff,Groovy,
HCL,HTML,Handlebars,Haskell,INI,JSON,Java,JavaScript,Jsonnet,Julia,Kotlin,LLVM,Lua,Makefile,Mathematica,Matlab,Meson,MySQL,
NASM,Nginx configuration file,Nim,Nix,OCaml,Objective-C,ObjectPascal,Odin,Org Mode,PHP,PL/pgSQL,Perl,
PostgreSQL SQL dialect,PowerShell,PromQL,Prolog,Protocol Buffer,Puppet,Python,Python 2,QML,R,Racket,Rego,Ruby,Rust,SAS,SCSS,SQL,
Sass,Scala,Scheme,Sed,Smarty,Solidity,Standard ML,Swift,SYSTEMD,systemverilog,TOML,Tcl,TeX,Terraform,Thrift,Transact-SQL,Twig,TypeScript,
Typst,VB.net,VHDL,VimL,WebAssembly Text Format,XML,YAML,Zig,markdown,properties,react,reg,verilog,vue`

// lexerFile is a lexer of chroma as a file of ours.
func lexerFile(t *testing.T, name string) []byte {
	t.Helper()
	lexer := lexers.GlobalLexerRegistry.Get(name)
	if lexer == nil || lexer.Config().Name != name {
		t.Fatalf("chroma has no lexer %q", name)
	}
	plain, is := lexer.(*chroma.RegexLexer)
	if !is { // with a front or a body in another language, which stays plain
		plain, is = reflect.Indirect(reflect.ValueOf(lexer)).Field(0).Interface().(*chroma.RegexLexer)
	}
	if !is {
		t.Fatalf("the lexer of %s is a %T", name, lexer)
	}
	if name == "Go" {
		plain = plainGo(t, plain)
	}
	file, err := chroma.Marshal(plain)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return file
}

// plainGo is Go without templates in its strings, which have no form in XML.
func plainGo(t *testing.T, lexer *chroma.RegexLexer) *chroma.RegexLexer {
	t.Helper()
	rules := lexer.MustRules().Clone()
	for i, r := range rules["root"] {
		if strings.HasPrefix(r.Pattern, "(`)") {
			rules["root"][i] = chroma.Rule{Pattern: "`[^`]*`", Type: chroma.LiteralString}
			return chroma.MustNewLexer(lexer.Config(), func() chroma.Rules { return rules })
		}
	}
	t.Fatal("chroma's Go has no raw strings")
	return nil
}

// TestLexerFiles holds that the lexers are those of the module of chroma.
func TestLexerFiles(t *testing.T) {
	want := map[string][]byte{"COPYING": copying(t)}
	names := strings.Split(strings.ReplaceAll(chosen, "\n", ""), ",")
	for _, name := range names {
		want[strings.ToLower(strings.NewReplacer("/", "-", " ", "-").Replace(name))+".xml"] = lexerFile(t, name)
	}
	if *updateLexers {
		packLexers(t, want)
		t.Skip("lexers.zip is written: run the test again")
	}
	files, err := zip.NewReader(strings.NewReader(lexerFiles), int64(len(lexerFiles)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !same(t, got, want[f.Name]) {
			t.Errorf("%s is not what chroma has (%v): go test ./ui/markdown -run TestLexerFiles -update-lexers", f.Name, err)
		}
		delete(want, f.Name)
	}
	for name := range want {
		t.Errorf("%s is missing: go test ./ui/markdown -run TestLexerFiles -update-lexers", name)
	}
	if got := len(registry().Lexers); got != len(names) {
		t.Errorf("%d of %d lexers can be read", got, len(names))
	}
}

// same reports whether files mean the same: the order of states in one is not known.
func same(t *testing.T, got, want []byte) bool {
	t.Helper()
	if bytes.Equal(got, want) {
		return true
	}
	var of [2]*chroma.RegexLexer
	for i, file := range [][]byte{got, want} {
		lexer, err := chroma.Unmarshal(file)
		if err != nil {
			return false
		}
		of[i] = lexer
	}
	return reflect.DeepEqual(of[0].Config(), of[1].Config()) && reflect.DeepEqual(of[0].MustRules(), of[1].MustRules())
}

// copying is chroma's licence.
func copying(t *testing.T) []byte {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/alecthomas/chroma/v2").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "COPYING"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func packLexers(t *testing.T, files map[string][]byte) {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, flate.BestCompression) })
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write(files[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("lexers.zip", b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
