package recovery

import "time"

// Trouble says why a call is made again, which decides how long to wait.
type Trouble string

// The kinds of trouble.
const (
	// APIError is a call that failed.
	APIError Trouble = "api_error"
	// InvalidResponse is an answer that was no answer.
	InvalidResponse Trouble = "invalid_response"
)

// Backoff is the delay before the attempt that follows failure number n, counted
// from 1: a base that doubles up to a cap (2 s and 60 s for [APIError], 5 s and
// 120 s for [InvalidResponse]), and up to half of that on top, so that many
// agents do not all come back at once. random gives numbers from 0 to below 1;
// nil adds nothing.
func Backoff(t Trouble, n int, random func() float64) time.Duration {
	delay, most := 2*time.Second, 60*time.Second
	if t == InvalidResponse {
		delay, most = 5*time.Second, 120*time.Second
	}
	for i := 1; i < n && delay < most; i++ {
		delay *= 2
	}
	delay = min(delay, most)
	if random == nil {
		return delay
	}
	return delay + time.Duration(min(max(random(), 0), 1)*float64(delay)/2)
}
