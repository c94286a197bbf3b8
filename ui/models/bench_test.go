package models_test

import (
	"testing"

	"hermes-tui/ui/models"
	"hermes-tui/ui/overlay"
)

// BenchmarkTyping is one key in a window of 5,000 models, with its frame: the first
// letter, which most names hold, and the last one of a name.
func BenchmarkTyping(b *testing.B) {
	p := models.NewPicker(styles, listOf(append(endpoints(), many("openrouter2", 1, 5000))...), hints)
	var frame []string
	for _, c := range []struct{ name, before, key string }{{"first", "", "m"}, {"word", "model-42", "0"}, {"second", "openrouter2 mode", "l"}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				p.Back()
				p.Type(c.before)
				b.StartTimer()
				p.Type(c.key)
				frame = p.Rows(frame[:0], 112, 24)
			}
		})
	}
}

// BenchmarkFrame is a step of the selection with its frame.
func BenchmarkFrame(b *testing.B) {
	p := models.NewPicker(styles, listOf(append(endpoints(), many("openrouter2", 1, 5000))...), hints)
	var frame []string
	b.ReportAllocs()
	for b.Loop() {
		p.Move(overlay.Down)
		frame = p.Rows(frame[:0], 112, 24)
	}
}

// BenchmarkAnswer takes in the list of an endpoint with 5,000 models, with its
// frame.
func BenchmarkAnswer(b *testing.B) {
	l := listOf(endpoints()...)
	p := models.NewPicker(styles, l, hints)
	g := many("openrouter2", 1, 5000)
	var frame []string
	b.ReportAllocs()
	for b.Loop() {
		l.Put(g)
		p.Refresh()
		frame = p.Rows(frame[:0], 112, 24)
	}
}

// BenchmarkComplete is one key behind /model.
func BenchmarkComplete(b *testing.B) {
	l := listOf(append(endpoints(), many("openrouter2", 1, 5000))...)
	b.ReportAllocs()
	for b.Loop() {
		l.Complete("model-42")
	}
}

// BenchmarkResolveTypo looks for names that are similar to one no one offers.
func BenchmarkResolveTypo(b *testing.B) {
	l := listOf(append(endpoints(), many("openrouter2", 1, 5000))...)
	b.ReportAllocs()
	for b.Loop() {
		l.Resolve("mdoel-4200-27B-instruct")
	}
}
