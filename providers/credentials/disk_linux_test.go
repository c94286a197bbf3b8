package credentials

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hermes-tui/internal/disktest"
)

// tinyRig is a rig on the tiny disk.
func tinyRig(t *testing.T, dir, content string) *rig {
	t.Helper()
	r := &rig{t: t, dir: dir, file: filepath.Join(dir, "auth.json"), clock: &clock{at: noon}, reports: &reports{}}
	r.write(content)
	r.Store = r.open(Options{File: r.file})
	return r
}

// On a full disk the file stays as it is, statuses hold in memory and are written
// once there is room, and no token is spent.
func TestFullDisk(t *testing.T) {
	disktest.Run(t, "64k", func(t *testing.T, dir string) {
		content := strings.Replace(loginFile(noon), `"svc":[`, `"openrouter":[{"id":"bbbbbb","label":"one","access_token":"k1"},{"id":"cccccc","label":"two","access_token":"k2","priority":1}],"svc":[`, 1)
		r := tinyRig(t, dir, content)
		free := disktest.Fill(t, dir)
		p := r.pool("openrouter", PoolOptions{})
		err := pick(t, p, Want{}).Failed(t.Context(), Failure{Code: 429})
		wantFileError(t, err, r.file, ProblemWrite, "no space left on device")
		if l := pick(t, p, Want{}); l.Label != "two" {
			t.Errorf("picked %v", l)
		}
		_, err = p.Add(t.Context(), New{Label: "three", Key: "k3"})
		wantFileError(t, err, r.file, ProblemWrite, "no space left on device")
		if got := labels(p.List()); got != "one two" {
			t.Errorf("added although it failed: %s", got)
		}
		i := &issuer{clock: r.clock}
		_, err = r.pool("svc", PoolOptions{Refresh: i.refresh}).Pick(t.Context(), Want{})
		if calls, _ := i.counts(); calls != 0 || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%d tokens spent, %v", calls, err)
		}
		if r.text() != content {
			t.Error("the file changed")
		}
		free()
		if l := pick(t, p, Want{}); l.Label != "two" {
			t.Errorf("picked %v", l)
		}
		if r.row("openrouter", "bbbbbb")["last_status"] != "exhausted" {
			t.Error("the mark was not written")
		}
	})
}

// A disk that fills up between spending a token and storing the next one: that
// one holds in memory and is stored as soon as there is room.
func TestDiskFillsDuringRenewal(t *testing.T) {
	disktest.Run(t, "64k", func(t *testing.T, dir string) {
		r := tinyRig(t, dir, loginFile(noon))
		i := &issuer{clock: r.clock}
		var free func()
		p := r.pool("svc", PoolOptions{Refresh: func(ctx context.Context, c Credential) (Refreshed, error) {
			if free == nil {
				free = disktest.Fill(t, dir)
			}
			return i.refresh(ctx, c)
		}})
		for range 2 {
			if l := pick(t, p, Want{}); l.Key() != "at-1" {
				t.Errorf("key %s", l.Key())
			}
		}
		if got := r.reports.all(); len(got) != 1 || !strings.Contains(got[0], "no space left") {
			t.Errorf("reports %q", got)
		}
		if row := r.row("svc", "aaaaaa"); row["refresh_token"] != "rt-0" {
			t.Errorf("row %v", row)
		}
		if err := r.Close(t.Context()); err == nil {
			t.Error("closed without an error, although a login is lost")
		}
		free()
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if row := r.row("svc", "aaaaaa"); row["refresh_token"] != "rt-1" || row["access_token"] != "at-1" {
			t.Errorf("row %v", row)
		}
	})
}

func TestReadOnlyDisk(t *testing.T) {
	disktest.Run(t, "64k", func(t *testing.T, dir string) {
		r := tinyRig(t, dir, twoKeys)
		disktest.ReadOnly(t, dir)
		p := r.pool("openrouter", PoolOptions{Strategy: RoundRobin})
		var got []string
		for range 4 {
			got = append(got, pick(t, p, Want{}).Label)
		}
		if strings.Join(got, " ") != "one two one two" {
			t.Errorf("picked %v", got)
		}
		if got := r.reports.all(); len(got) != 1 || !strings.Contains(got[0], "read-only file system") {
			t.Errorf("reports %q", got)
		}
		err := pick(t, p, Want{}).Failed(t.Context(), Failure{Code: 429})
		wantFileError(t, err, r.file, ProblemWrite, "read-only file system")
		if next, ok := p.Next(noon); !ok || !next.Equal(noon.Add(time.Hour)) {
			t.Errorf("next %v", next)
		}
	})
}
