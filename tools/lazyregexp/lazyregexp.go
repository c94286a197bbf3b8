// Package lazyregexp has regular expressions that are compiled when they are used first.
// Those of the program's tables would take a millisecond of each start, and most are never
// needed. They are safe for use by several goroutines; one that cannot be compiled panics
// when it is used.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is one that may not be compiled yet.
type Regexp struct{ compiled func() *regexp.Regexp }

// New takes the text of one.
func New(text string) *Regexp {
	return &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// The methods are those of [regexp.Regexp].

func (r *Regexp) MatchString(s string) bool            { return r.compiled().MatchString(s) }
func (r *Regexp) FindString(s string) string           { return r.compiled().FindString(s) }
func (r *Regexp) FindStringIndex(s string) []int       { return r.compiled().FindStringIndex(s) }
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }
func (r *Regexp) FindAllString(s string, n int) []string {
	return r.compiled().FindAllString(s, n)
}

func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringIndex(s, n)
}

func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

func (r *Regexp) ReplaceAllString(s, by string) string {
	return r.compiled().ReplaceAllString(s, by)
}

func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.compiled().FindSubmatch(b) }
func (r *Regexp) Split(s string, n int) []string { return r.compiled().Split(s, n) }
