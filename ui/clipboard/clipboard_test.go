//go:build unix

package clipboard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-tui/ui/term"
)

// scripts puts programs on the path, and nothing else but what they need.
func scripts(t *testing.T, programs map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, body := range programs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nPATH=/usr/bin:/bin\n"+body), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

var (
	wayland = term.Env{OS: "linux", Wayland: true}
	x11     = term.Env{OS: "linux", X11: true}
	mac     = term.Env{OS: "darwin"}
)

func TestRead(t *testing.T) {
	const types = `case "$*" in --list-types) printf 'text/html\nimage/webp\nimage/jpeg\n';; "--no-newline --type image/jpeg") printf 'PIXELS\n\000x';; *) exit 9;; esac`
	const targets = `case "$*" in "-selection clipboard -t TARGETS -o") printf 'TARGETS\nimage/png\n';; "-selection clipboard -t image/png -o") printf PIXELS;; *) exit 9;; esac`
	cases := []struct {
		name     string
		env      term.Env
		programs map[string]string
		want     string
	}{
		{"wl-paste", wayland, map[string]string{"wl-paste": types}, "PIXELS\n\x00x"},
		{"xclip", x11, map[string]string{"xclip": targets}, "PIXELS"},
		{"the second tool", term.Env{OS: "linux", Wayland: true, X11: true}, map[string]string{"xclip": targets}, "PIXELS"},
		{"pngpaste", mac, map[string]string{"pngpaste": `[ "$*" = - ] && printf PIXELS`}, "PIXELS"},
		{"osascript", mac, map[string]string{"osascript": `printf '«data PNGf504958»\n'`}, "PIX"},
		{"both of a Mac", mac, map[string]string{"pngpaste": "exit 1", "osascript": `printf '«data PNGf504958»\n'`}, "PIX"},
		{"Windows below", term.Env{OS: "linux", WSL: true}, map[string]string{"powershell.exe": `printf 'UElYRUxT\r\n'`}, "PIXELS"},
		{"what it leaves running", wayland, map[string]string{"wl-paste": `case "$1" in --list-types) echo image/png;; *) printf PIXELS; sleep 60 & ;; esac`}, "PIXELS"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			scripts(t, c.programs)
			data, err := Read(t.Context(), c.env)
			if err != nil || string(data) != c.want {
				t.Errorf("%q, %v", data, err)
			}
		})
	}
}

func TestNoImage(t *testing.T) {
	cases := []struct {
		name     string
		env      term.Env
		programs map[string]string
		kind     Kind
		says     string
	}{
		{"no tool", wayland, nil, NoTool, "install wl-paste,"},
		{"no tool of two", mac, nil, NoTool, "pngpaste or osascript"},
		{"no display", term.Env{OS: "linux"}, nil, Unreachable, "attach it with @"},
		{"another machine's Mac", term.Env{OS: "darwin", SSH: true}, nil, Unreachable, ""},
		{"text", wayland, map[string]string{"wl-paste": "echo text/plain"}, NoImage, "no image on the clipboard"},
		{"nothing", wayland, map[string]string{"wl-paste": "echo Nothing is copied >&2; exit 1"}, NoImage, ""},
		{"no bytes", wayland, map[string]string{"wl-paste": `[ "$1" = --list-types ] && echo image/png; exit 0`}, NoImage, ""},
		{"display gone", x11, map[string]string{"xclip": "echo \"Error: Can't open display: :0\" >&2; exit 1"}, Unreachable, ""},
		{"AppleScript says no", mac, map[string]string{"pngpaste": "exit 1", "osascript": "exit 1"}, NoImage, ""},
		{"AppleScript says something else", mac, map[string]string{"osascript": "echo hello"}, NoImage, ""},
		{"too much", wayland, map[string]string{"wl-paste": `case "$1" in --list-types) echo image/png;; *) head -c 22000000 /dev/zero;; esac`}, TooLarge, "too large"},
		{"no end", wayland, map[string]string{"wl-paste": `case "$1" in --list-types) echo image/png;; *) cat /dev/zero;; esac`}, TooLarge, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			scripts(t, c.programs)
			data, err := Read(t.Context(), c.env)
			e, ok := errors.AsType[*Error](err)
			if !ok || e.Kind != c.kind || !strings.Contains(err.Error(), c.says) || data != nil {
				t.Errorf("%d bytes, %v", len(data), err)
			}
		})
	}
}

// TestToolsThatHang are ended with the context; a read never takes longer than it.
func TestToolsThatHang(t *testing.T) {
	scripts(t, map[string]string{"wl-paste": "sleep 600"})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := Read(ctx, wayland)
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != Failed || !strings.Contains(err.Error(), "wl-paste") {
		t.Errorf("%v", err)
	}
	if took := time.Since(began); took > Patience {
		t.Errorf("it took %v", took)
	}
}
