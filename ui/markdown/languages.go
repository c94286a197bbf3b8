package markdown

import (
	"archive/zip"
	_ "embed"
	"path"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

// lexerFiles are the lexers of the languages that people meet, in the XML of chroma and
// under its licence, which is with them. Its package lexers has four times as many, reads
// all of them at every start (7 ms) and takes 3.4 MB. TestLexerFiles writes them.
//
//go:embed lexers.zip
var lexerFiles string

// registry gives the lexers. They are read for the first code that is coloured, which
// takes 4 ms; what a lexer looks for is read when it is used first.
var registry = sync.OnceValue(func() *chroma.LexerRegistry {
	known := chroma.NewLexerRegistry()
	files, err := zip.NewReader(strings.NewReader(lexerFiles), int64(len(lexerFiles)))
	if err != nil {
		return known // TestLexerFiles reads what is embedded
	}
	for _, f := range files.File {
		if path.Ext(f.Name) != ".xml" {
			continue
		}
		if lexer, err := chroma.NewXMLLexer(files, f.Name); err == nil {
			known.Register(lexer)
		}
	}
	return known
})
