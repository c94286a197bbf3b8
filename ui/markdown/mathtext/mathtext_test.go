package mathtext

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestUnicode(t *testing.T) {
	for src, want := range map[string]string{
		`x_1^2`:                                "x₁²",
		`e^{i\pi} + 1 = 0`:                     "e^(iπ) + 1 = 0",
		`a^{n+1}`:                              "aⁿ⁺¹",
		`\frac{a}{b} + \frac{a+b}{2c}`:         "a/b + (a+b)/(2c)",
		`\sqrt{x} \cdot \sqrt[3]{x+1}`:         "√x · ∛(x+1)",
		`\sum_{i=1}^{n} x_i`:                   "∑ᵢ₌₁ⁿ xᵢ",
		`\forall x \in \mathbb{R}: x^2 \geq 0`: "∀ x ∈ ℝ: x² ≥ 0",
		`\lim_{x \to 0} \sin x`:                "lim _(x → 0) sin x",
		`\left( \frac{1}{2} \right)`:           "( 1/2 )",
		`\hat{y} = \vec{x}`:                    "y\u0302 = x\u20d7",
		`f: A \rightarrow B`:                   "f: A → B",
		`\text{if } x > 0`:                     "if x > 0",
		`O(n \log n)`:                          "O(n log n)",
		`\{1, 2\}`:                             "{1, 2}",
		`a \not= b`:                            "a ≠ b",
		`\begin{aligned} a &= b \\ c &= d \end{aligned}`: "a = b\nc = d",
		`f(x)'`:  "f(x)′",
		`50\%`:   "50%",
		`\Delta`: "Δ",
	} {
		got, ok := Unicode(src)
		if !ok || strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%s: %q, %v, want %q", src, got, ok, want)
		}
	}
	for _, src := range []string{
		``, ` `, `\nosuch`, `\begin{pmatrix} a & b \end{pmatrix}`, `a}`, `{a`, `\frac{a}`, `x^`, `x^}`, `\begin{aligned} a`, `\`, "\xff", `\sqrt[n+1]{x}`,
		strings.Repeat("{", 40) + strings.Repeat("}", 40), strings.Repeat("x", maxSource+1), strings.Repeat(`\hat`, 100) + "x",
	} {
		if got, ok := Unicode(src); ok {
			t.Errorf("%.40s becomes %q", src, got)
		}
	}
}

func FuzzUnicode(f *testing.F) {
	for _, src := range []string{`x_1^2`, `\frac{a}{\sqrt[3]{b}}`, `\begin{cases} a & b \\ c \end{cases}`, `\hat\hat x`, `\left.\right)`, `\text{a}`} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		got, ok := Unicode(src)
		if ok && (!utf8.ValidString(got) || strings.TrimSpace(got) == "") {
			t.Errorf("%q becomes %q", src, got)
		}
	})
}
