package transport

import (
	"net/http"
	"testing"
	"time"
)

func TestQuotas(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name   string
		header map[string]string
		want   Quota
	}{
		{"requests", map[string]string{"x-ratelimit-limit-requests": "100", "x-ratelimit-remaining-requests": "10", "x-ratelimit-reset-requests": "6m0s"}, Quota{"requests per minute", 90, 6 * time.Minute}},
		{"by the hour", map[string]string{"x-ratelimit-limit-tokens-1h": "1000", "x-ratelimit-remaining-tokens-1h": "250", "x-ratelimit-reset-tokens-1h": "12.5"}, Quota{"tokens per hour", 75, 12500 * time.Millisecond}},
		{"a moment", map[string]string{"anthropic-ratelimit-input-tokens-limit": "200", "anthropic-ratelimit-input-tokens-remaining": "0", "anthropic-ratelimit-input-tokens-reset": "2026-05-01T12:00:30Z"}, Quota{"input tokens per minute", 100, 30 * time.Second}},
		{"an allowance", map[string]string{"x-codex-primary-used-percent": "85.5"}, Quota{"short allowance", 85.5, 0}},
		{"nonsense", map[string]string{"x-ratelimit-limit-requests": "many", "x-ratelimit-remaining-requests": "-1", "x-codex-secondary-used-percent": "NaN"}, Quota{}},
		{"no limit", map[string]string{"x-ratelimit-limit-requests": "0", "x-ratelimit-remaining-requests": "0"}, Quota{}},
	} {
		h := http.Header{}
		for k, v := range c.header {
			h.Set(k, v)
		}
		got := Quotas(h, now)
		if c.want == (Quota{}) && len(got) == 0 {
			continue
		}
		if len(got) != 1 || got[0].Name != c.want.Name || got[0].Resets != c.want.Resets || got[0].Used < c.want.Used-0.01 || got[0].Used > c.want.Used+0.01 {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}
