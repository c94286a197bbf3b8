//go:build unix

package ui_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// pngFile makes a real image and returns how it is sent.
func pngFile(t *testing.T, path string, w, h int) string {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for x := range w {
		m.Set(x, x%h, color.RGBA{R: 200, A: 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	write(t, path, b.Bytes())
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// lastBody is the newest request of the user's turns.
func lastBody(t *testing.T, d *Driver) string {
	t.Helper()
	all := d.Server().Requests()
	for i := len(all) - 1; i >= 0; i-- {
		if strings.Contains(string(all[i].Body), `"tools"`) {
			return string(all[i].Body)
		}
	}
	t.Fatal("nothing was sent")
	return ""
}

// TestImagesByName: what is chosen behind an @, and what is written there, becomes
// an image in the draft and is sent with the message, without its path.
func TestImagesByName(t *testing.T) {
	t.Parallel()
	for _, cols := range []int{140, 60} {
		t.Run(fmt.Sprint(cols), func(t *testing.T) {
			d := Start(t, Options{Cols: cols, Rows: 24, Scenario: answers(on("", say("I see it")))})
			shot := pngFile(t, filepath.Join(d.Dir(), "docs", "image.png"), 120, 80)
			other := pngFile(t, filepath.Join(d.Dir(), "b c.png"), 10, 10)
			d.WaitIdle().Type("what is @ima").WaitFor(Contains("▸ docs/image.png"))
			d.Press("tab").WaitFor(Contains("[▣ image.png 120×80]"), NotContains("@docs"))
			d.Type(`and @"b c.png"`).Press("enter").WaitFor(Contains("I see it"))
			d.WaitIdle().Expect(Contains("▣ image.png 120×80"), Contains("▣ b c.png 10×10"), NotContains("[▣"))
			body := lastBody(t, d)
			first, second := strings.Index(body, shot), strings.Index(body, other)
			if first < 0 || second < first || strings.Contains(body, "docs/image.png") || !strings.Contains(body, "what is [image: image.png] and [image: b c.png]") {
				t.Errorf("%d %d %.600s", first, second, body)
			}
		})
	}
}

// TestImagesThatAreDropped: terminals write the path of a file that is dropped on
// them, each in its own way.
func TestImagesThatAreDropped(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 120, Rows: 24, Scenario: answers(on("", say("I see it")))})
	dir := t.TempDir()
	shot := pngFile(t, filepath.Join(dir, "a shot.png"), 120, 80)
	write(t, filepath.Join(dir, "words.png"), []byte("no image"))
	path := filepath.Join(dir, "a shot.png")
	d.WaitIdle()
	for _, paste := range []string{
		path, "'" + path + "' ", strings.ReplaceAll(path, " ", `\ `), "file://" + strings.ReplaceAll(path, " ", "%20") + "\r\n", `"` + path + `"`,
	} {
		d.Paste(paste).WaitFor(Contains("[▣ a shot.png 120×80]"), NotContains(dir))
		d.WaitIdle().Press("ctrl+c").WaitIdle().Expect(NotContains("[▣"))
	}
	for _, text := range []string{filepath.Join(dir, "words.png"), filepath.Join(dir, "missing.png"), "see " + path, "a shot.png"} {
		d.Paste(text).WaitIdle().Expect(Contains(filepath.Base(text)), NotContains("[▣"))
		d.Press("ctrl+c").WaitIdle()
	}
	d.Paste(path).Press("enter").WaitFor(Contains("I see it"))
	if body := lastBody(t, d); !strings.Contains(body, shot) || strings.Contains(body, dir) {
		t.Errorf("sent %.600s", body)
	}
	// A path within a longer text is a text: only what is dropped alone is read.
	d.Press("up").WaitFor(Contains("[▣ a shot.png"))
	d.Press("ctrl+c").WaitIdle()
}

// TestPastesNameNoImages: a text from elsewhere cannot have an image sent by naming
// it.
func TestPastesNameNoImages(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 120, Rows: 24, Scenario: answers(on("", say("I see nothing")))})
	pngFile(t, filepath.Join(d.Dir(), "private.png"), 12, 8)
	d.WaitIdle().Paste("look at @private.png now").Type(" ok").Press("enter").WaitFor(Contains("I see nothing"))
	if body := lastBody(t, d); strings.Contains(body, "data:image") || !strings.Contains(body, "@private.png") {
		t.Errorf("sent %.600s", body)
	}
}

// TestImagesThatCannotBeSent: each says why, and the text stays to be corrected.
func TestImagesThatCannotBeSent(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 120, Rows: 30, Scenario: answers(on("", say("I see it")))})
	whole := filepath.Join(d.Dir(), "whole.png")
	pngFile(t, whole, 50, 50)
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(d.Dir(), "half.png"), data[:len(data)/2])
	write(t, filepath.Join(d.Dir(), "none.png"), nil)
	write(t, filepath.Join(d.Dir(), "words.png"), []byte("just words"))
	write(t, filepath.Join(d.Dir(), "big.png"), make([]byte, 25<<20))
	if err := syscall.Mkfifo(filepath.Join(d.Dir(), "pipe.png"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(d.Dir(), "folder.png"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.WaitIdle()
	for name, says := range map[string]string{
		"half.png": "half.png is cut off or damaged", "none.png": "the file is empty", "words.png": "it holds text",
		"big.png": "at most 20 MB", "folder.png": "is a folder",
	} {
		d.Type("see @"+name).Press("esc", "enter").WaitFor(Contains(says), Contains("❯ see @"+name))
		d.WaitIdle().Press("ctrl+c").WaitIdle()
	}
	if n := len(d.Server().Requests()); n != 0 {
		t.Errorf("%d requests were made", n)
	}
	// What cannot be read at all is a name, as any other that nothing has.
	for _, name := range []string{"pipe.png", "nowhere.png"} {
		d.Type("tell me about @"+name).Press("esc", "enter").WaitFor(Contains("I see it"))
		d.WaitIdle()
		if body := lastBody(t, d); strings.Contains(body, "data:image") || !strings.Contains(body, "@"+name) {
			t.Errorf("sent %.600s", body)
		}
	}
}

// TestImagesFromTheClipboard reads it with a real program, and says what is missing.
func TestImagesFromTheClipboard(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	shot := pngFile(t, filepath.Join(bin, "x.png"), 30, 20)
	write(t, filepath.Join(bin, "wl-paste"), []byte("#!/bin/sh\ncase \"$1\" in --list-types) echo image/png;; *) cat '"+filepath.Join(bin, "x.png")+"';; esac\n"))
	if err := os.Chmod(filepath.Join(bin, "wl-paste"), 0o700); err != nil {
		t.Fatal(err)
	}
	d := Start(t, Options{
		Cols: 120, Rows: 24, Scenario: answers(on("", say("I see it"))), Env: []string{"WAYLAND_DISPLAY=w", "PATH=" + bin + ":" + os.Getenv("PATH")},
	})
	d.WaitIdle().Type("look ").Press("ctrl+v").WaitFor(Contains("[▣ clipboard.png 30×20]"))
	d.Press("enter").WaitFor(Contains("I see it"))
	if body := lastBody(t, d); !strings.Contains(body, shot) {
		t.Errorf("sent %.600s", body)
	}
	if err := os.Remove(filepath.Join(bin, "wl-paste")); err != nil {
		t.Fatal(err)
	}
	d.WaitIdle().Press("ctrl+v").WaitFor(Contains("No program is installed"), Contains("install wl-paste"))
}

// TestImagesOutliveAKill: the draft comes back with its image, and so does what
// waits in the queue.
func TestImagesOutliveAKill(t *testing.T) {
	t.Parallel()
	scenario := answers(on("^slow$", script.Stall{For: 1e12}), on("", say("I see it")))
	d := Start(t, Options{Cols: 120, Rows: 24, Scenario: scenario})
	shot := pngFile(t, filepath.Join(d.Dir(), "a.png"), 30, 20)
	pngFile(t, filepath.Join(d.Dir(), "b.png"), 31, 20)
	d.WaitIdle().Type("slow").Press("enter").WaitFor(Contains("esc interrupt")).Type("@a.png ").WaitFor(Contains("[▣ a.png"))
	d.Type("queued").Press("enter").WaitFor(Contains("[image: a.png] queued"))
	d.Type("@b.png ").WaitFor(Contains("[▣ b.png 31×20]"))
	waitStored(t, d, "b.png")
	d.Kill9()
	d.Wait()
	if err := os.Remove(filepath.Join(d.Dir(), "a.png")); err != nil {
		t.Fatal(err)
	}
	e := Start(t, Options{Cols: 120, Rows: 24, Scenario: scenario, Home: d.Home(), Args: []string{"--continue"}})
	e.WaitIdle().Expect(Contains("[▣ b.png 31×20]"), Contains("[image: a.png] queued"))
	e.Press("ctrl+c").WaitIdle().Press("enter").WaitFor(Contains("I see it"))
	if body := lastBody(t, e); !strings.Contains(body, shot) {
		t.Errorf("sent %.600s", body)
	}
}

// waitStored waits until something is on the disk.
func waitStored(t *testing.T, d *Driver, text string) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for time.Now().Before(deadline) {
		for _, name := range []string{"state.db", "state.db-wal"} {
			raw, err := os.ReadFile(filepath.Join(d.Home(), name))
			if err == nil && strings.Contains(string(raw), text) {
				return
			}
		}
		d.WaitSync()
	}
	t.Fatal(text + " was not stored")
}

// TestBlindModels: the user is told before and when sending, and the message stays
// in the composer.
func TestBlindModels(t *testing.T) {
	t.Parallel()
	for _, cols := range []int{140, 60} {
		t.Run(fmt.Sprint(cols), func(t *testing.T) {
			s := answers(on("", say("Words only.")))
			s.Models = []script.Model{{ID: "deepseek-chat"}}
			d := Start(t, Options{Cols: cols, Rows: 24, Scenario: s})
			pngFile(t, filepath.Join(d.Dir(), "a.png"), 3, 2)
			d.WaitIdle().Type("look at @a.png ").WaitFor(Contains("[▣ a.png 3×2]"), Contains("deepseek-chat cannot see images"))
			d.Press("enter").WaitFor(Contains("take the image out"), Contains("/model"))
			d.WaitIdle().Expect(Contains("❯ look at [▣ a.png 3×2]"))
			if n := len(d.Server().Requests()); n != 0 {
				t.Errorf("%d requests were sent", n)
			}
		})
	}
}
