package mathtext

import "strings"

// words maps the words of a list, in pairs, to each other.
func words(list string) map[string]string {
	f := strings.Fields(list)
	m := make(map[string]string, len(f)/2)
	for i := 0; i+1 < len(f); i += 2 {
		m[f[i]] = f[i+1]
	}
	return m
}

// symbols are commands that stand for a sign.
func symbols() map[string]string {
	return words(`
alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν xi ξ omicron ο
pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω
Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ ll ≪ gg ≫ approx ≈ sim ∼ simeq ≃ cong ≅ equiv ≡ propto ∝ doteq ≐ prec ≺ succ ≻ leqslant ⩽ geqslant ⩾
pm ± mp ∓ times × div ÷ cdot · ast ∗ star ⋆ circ ∘ bullet • oplus ⊕ ominus ⊖ otimes ⊗ odot ⊙ wedge ∧ land ∧ vee ∨ lor ∨ neg ¬ lnot ¬
in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ cup ∪ cap ∩ setminus ∖ emptyset ∅ varnothing ∅ sqcup ⊔ sqcap ⊓
forall ∀ exists ∃ nexists ∄ therefore ∴ because ∵ vdash ⊢ dashv ⊣ models ⊨ top ⊤ bot ⊥ perp ⊥ parallel ∥ mid ∣ angle ∠
to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ implies ⇒ Leftarrow ⇐ impliedby ⇐ Leftrightarrow ⇔ iff ⇔ mapsto ↦
longrightarrow ⟶ longleftarrow ⟵ Longrightarrow ⟹ Longleftarrow ⟸ hookrightarrow ↪ uparrow ↑ downarrow ↓ updownarrow ↕ nearrow ↗ searrow ↘
sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂ bigvee ⋁ bigwedge ⋀
partial ∂ nabla ∇ infty ∞ hbar ℏ ell ℓ Re ℜ Im ℑ wp ℘ aleph ℵ beth ℶ dagger † ddagger ‡ prime ′ degree ° square □ blacksquare ■
ldots … dots … dotsc … dotsb ⋯ cdots ⋯ vdots ⋮ ddots ⋱ langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lVert ‖ rVert ‖ Vert ‖ lvert | rvert | vert |
checkmark ✓ colon : lbrace { rbrace } backslash \ triangle △ diamond ⋄ Box □ coloneqq ≔ triangleq ≜ asymp ≍ rightleftharpoons ⇌ QED ∎ qed ∎
`)
}

// names are commands that are written as they are called.
const names = " sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan log ln lg exp min max sup inf lim limsup liminf det dim ker deg gcd arg Pr hom bmod mod argmin argmax tr rank sgn diag "

// spaces are commands that leave room, and none.
const spaces = " , ; : quad qquad enspace thinspace space "

const nothing = " ! displaystyle textstyle limits nolimits left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr middle mathstrut strut nonumber notag "

// fonts are commands whose argument is shown as it is.
const fonts = " text mathrm textrm operatorname mathbf textbf boldsymbol bm mathit textit mathsf mathtt texttt mbox mathnormal boxed "

// accents are commands that put a mark above or below a letter.
func accents() map[string]string {
	return map[string]string{
		"hat": "\u0302", "widehat": "\u0302", "bar": "\u0304", "overline": "\u0305", "tilde": "\u0303", "widetilde": "\u0303",
		"vec": "\u20d7", "dot": "\u0307", "ddot": "\u0308", "underline": "\u0332", "check": "\u030c", "acute": "\u0301", "grave": "\u0300",
	}
}

// letters are the alphabets that have signs of their own, and which letters do.
func letters() map[string]map[string]string {
	double := words("A 𝔸 B 𝔹 C ℂ D 𝔻 E 𝔼 F 𝔽 G 𝔾 H ℍ I 𝕀 J 𝕁 K 𝕂 L 𝕃 M 𝕄 N ℕ O 𝕆 P ℙ Q ℚ R ℝ S 𝕊 T 𝕋 U 𝕌 V 𝕍 W 𝕎 X 𝕏 Y 𝕐 Z ℤ 1 𝟙")
	script := words("A 𝒜 B ℬ C 𝒞 D 𝒟 E ℰ F ℱ G 𝒢 H ℋ I ℐ J 𝒥 K 𝒦 L ℒ M ℳ N 𝒩 O 𝒪 P 𝒫 Q 𝒬 R ℛ S 𝒮 T 𝒯 U 𝒰 V 𝒱 W 𝒲 X 𝒳 Y 𝒴 Z 𝒵")
	return map[string]map[string]string{"mathbb": double, "mathcal": script, "mathscr": script}
}

// raised and lowered are the signs that can stand above and below the line.
func raised() map[string]string {
	return words("0 ⁰ 1 ¹ 2 ² 3 ³ 4 ⁴ 5 ⁵ 6 ⁶ 7 ⁷ 8 ⁸ 9 ⁹ + ⁺ - ⁻ − ⁻ = ⁼ ( ⁽ ) ⁾ a ᵃ b ᵇ c ᶜ d ᵈ e ᵉ f ᶠ g ᵍ h ʰ i ⁱ j ʲ k ᵏ l ˡ m ᵐ n ⁿ o ᵒ p ᵖ r ʳ s ˢ t ᵗ u ᵘ v ᵛ w ʷ x ˣ y ʸ z ᶻ " +
		"A ᴬ B ᴮ D ᴰ E ᴱ G ᴳ H ᴴ I ᴵ J ᴶ K ᴷ L ᴸ M ᴹ N ᴺ O ᴼ P ᴾ R ᴿ T ᵀ U ᵁ V ⱽ W ᵂ α ᵅ β ᵝ γ ᵞ δ ᵟ θ ᶿ φ ᵠ χ ᵡ ′ ′ ∗ * * *")
}

func lowered() map[string]string {
	return words("0 ₀ 1 ₁ 2 ₂ 3 ₃ 4 ₄ 5 ₅ 6 ₆ 7 ₇ 8 ₈ 9 ₉ + ₊ - ₋ − ₋ = ₌ ( ₍ ) ₎ a ₐ e ₑ h ₕ i ᵢ j ⱼ k ₖ l ₗ m ₘ n ₙ o ₒ p ₚ r ᵣ s ₛ t ₜ u ᵤ v ᵥ x ₓ β ᵦ γ ᵧ ρ ᵨ φ ᵩ χ ᵪ")
}
