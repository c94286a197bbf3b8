package patch

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// measured is a pair of texts and their ratio.
type measured struct {
	A, B  string
	Ratio float64
}

// randomText makes texts in which some characters are frequent, so that matches
// have many candidates and long texts have characters that are too frequent.
func randomText(r *rand.Rand, length int) string {
	alphabet := []rune("eeeeeeeeetttttaaaoinshrdlu  \n\t(){}=é日🙂")
	alphabet = alphabet[:2+r.IntN(len(alphabet)-1)]
	text := make([]rune, length)
	for i := range text {
		text[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(text)
}

// mutate changes some characters, moves and drops stretches.
func mutate(r *rand.Rand, s string) string {
	text := []rune(s)
	for range r.IntN(8) {
		if len(text) < 4 {
			break
		}
		i, j := r.IntN(len(text)), r.IntN(len(text))
		i, j = min(i, j), max(i, j)
		switch r.IntN(3) {
		case 0:
			text[i] = 'z'
		case 1:
			text = append(text[:i:i], text[min(j, i+9):]...)
		default:
			text = append(append([]rune{}, text[j:]...), text[:j]...)
		}
	}
	return string(text)
}

func randomPairs(n int) []measured {
	r := rand.New(rand.NewPCG(1, 2))
	pairs := []measured{{}, {A: "a"}, {B: "a"}, {A: "a", B: "a"}, {A: strings.Repeat("ab", 150), B: strings.Repeat("ba", 150)}}
	for len(pairs) < n {
		length := r.IntN(60)
		if len(pairs)%4 == 0 {
			length = 150 + r.IntN(900)
		}
		a := randomText(r, length)
		b := mutate(r, a)
		if len(pairs)%5 == 0 {
			b = randomText(r, r.IntN(length+100))
		}
		pairs = append(pairs, measured{A: a, B: b})
	}
	return pairs
}

// TestRatio compares ratios with those of Python's difflib.
func TestRatio(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("SKIPPED: python3 is not installed, so the ratios are NOT compared with those of difflib")
	}
	count := 2000
	if testing.Short() {
		count = 300
	}
	pairs := randomPairs(count)
	input, err := json.Marshal(pairs)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", "import sys,json,difflib\n"+
		"print(json.dumps([difflib.SequenceMatcher(None,p['A'],p['B']).ratio() for p in json.load(sys.stdin)]))")
	cmd.Stdin = bytes.NewReader(input)
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("difflib: %v", err)
	}
	var want []float64
	if err := json.Unmarshal(output, &want); err != nil {
		t.Fatal(err)
	}
	for i, p := range pairs {
		got, ok := newLikeness(p.B).ratio(p.A, &work{maxWork})
		if !ok || got != want[i] {
			t.Fatalf("ratio(%q, %q) = %v, %v; difflib has %v", p.A, p.B, got, ok, want[i])
		}
	}
}

// TestRatioAgain reuses a prepared text, whose rows have to be clean each time.
func TestRatioAgain(t *testing.T) {
	pairs := randomPairs(300)
	shared := newLikeness(pairs[101].A)
	for _, p := range pairs {
		if _, ok := shared.ratio(p.B, &work{20}); ok && len(p.B) > 20 {
			t.Fatal("compared without work")
		}
		got, _ := shared.ratio(p.A, &work{maxWork})
		fresh, _ := newLikeness(pairs[101].A).ratio(p.A, &work{maxWork})
		if got != fresh {
			t.Fatalf("ratio with %q is %v when reused, %v when fresh", p.A, got, fresh)
		}
		hist := histogramOf(p.A)
		if bound := shared.bound(&hist); bound < got {
			t.Fatalf("bound %v is below the ratio %v of %q", bound, got, p.A)
		}
	}
}

func TestBoundOfLongText(t *testing.T) {
	long := strings.Repeat("abc ", 20_000)
	like, hist := newLikeness(long), histogramOf(long)
	if hist.complete || like.bound(&hist) != 1 {
		t.Errorf("bound of a text with itself is %v (counted: %v)", like.bound(&hist), hist.complete)
	}
	if short := histogramOf("abc"); like.bound(&short) > 0.01 {
		t.Errorf("bound with a short text is %v", like.bound(&short))
	}
}
