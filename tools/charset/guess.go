package charset

import (
	"bytes"
	"strings"
	"unicode"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// The encodings among which is guessed.
const (
	GBK      Encoding = "gbk"
	Big5     Encoding = "big5"
	ShiftJIS Encoding = "shift-jis"
	EUCJP    Encoding = "euc-jp"
	EUCKR    Encoding = "euc-kr"
	CP1251   Encoding = "windows-1251"
	CP1252   Encoding = "windows-1252"
)

var olds = map[Encoding]encoding.Encoding{
	GBK: simplifiedchinese.GB18030, Big5: traditionalchinese.Big5, ShiftJIS: japanese.ShiftJIS, EUCJP: japanese.EUCJP, EUCKR: korean.EUCKR,
	CP1251: charmap.Windows1251, CP1252: charmap.Windows1252,
}

// sample is how much of a text is looked at, in bytes.
const sample = 16 << 10

// Characters that texts in a language are full of.
const (
	chinese     = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经之进着等部度家电里如化高自理起小现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天日那事平形相全表间样与关各重新线内数正心反你明看原又么利比或但第向道此变条只没结解问意建月公无系情者最代想已通并提直题程展果料员位入常文总次品式设及管特件长求基资流路级图统接知将组见计别期指区放被做必先回则任取据处配置测试名称请输编码字符读写码"
	traditional = "的一是在不了有和人這中大為上個國我以要他時來用們生到作地於出就分對成會可主發年動同工也能下過子說產種面而方後多定行學法所民得經之進著等部度家電裡如化高自理起小現實加量都兩體制機當使點從業本去把性好應開它合還因由其些然前外天日那事平形相全表間樣與關各重新線內數正心反你明看原又麼利比或但第向道此變條只沒結解問意建月公無系情者最代想已通並提直題程展果料員位入常文總次品式設及管特件長求基資流路級圖統接知將組見計別期指區放被做必先回則任取據處配置測試名稱請輸編碼字符讀寫檔案"
	hangul      = "이다는에의을가고하지로사기한를리도인서시어있정자수나대아일그라은해안보으부주제전성원장동설스과여상조구면세경들와관만합니까습파입력출값테트름"
)

// guess is the encoding that bytes, which are no UTF-8, fit best.
func guess(data []byte) Encoding {
	head := excerpt(data)
	best, most := Latin1, 0.22 // more than signs alone
	for _, enc := range []Encoding{CP1252, CP1251, GBK, Big5, ShiftJIS, EUCJP, EUCKR} {
		if s := fit(head, enc); s > most {
			best, most = enc, s
		}
	}
	return best
}

// excerpt is the part of a text around its first byte that is not ASCII, of whole lines.
func excerpt(data []byte) []byte {
	at := 0
	for at < len(data) && data[at] < 0x80 {
		at++
	}
	from := at
	for from > 0 && data[from-1] != '\n' && at-from < 200 {
		from--
	}
	if len(data)-from <= sample {
		return data[from:]
	}
	head := data[from : from+sample]
	if end := bytes.LastIndexByte(head, '\n'); end > 0 {
		head = head[:end+1]
	}
	return head
}

func decodeOld(data []byte, enc Encoding) string {
	text, err := olds[enc].NewDecoder().Bytes(data)
	if err != nil {
		return decodeLatin1(data)
	}
	return string(text)
}

// fit says how well bytes read in an encoding: what its characters are worth on average,
// 0 or less for none.
func fit(data []byte, enc Encoding) float64 {
	text := decodeOld(data, enc)
	if strings.ContainsRune(text, unicode.ReplacementChar) {
		return 0
	}
	if enc == CP1251 || enc == CP1252 {
		return single(text, enc)
	}
	worth, count, kana := 0.0, 0, 0
	for _, r := range text {
		if r < 0x80 {
			continue
		}
		count++
		if unicode.In(r, unicode.Hiragana, unicode.Katakana) && r < 0xff00 {
			kana++
		}
		worth += double(r, enc)
	}
	if count == 0 {
		return 0
	}
	worth /= float64(count)
	if japan := enc == ShiftJIS || enc == EUCJP; japan && kana == 0 {
		worth /= 4
	}
	return worth
}

// double is what a character is worth in an encoding of two bytes a character.
func double(r rune, enc Encoding) float64 {
	switch {
	case r >= 0xff61 && r <= 0xffdc, unicode.Is(unicode.Co, r): // narrow kana
		return -1
	case unicode.In(r, unicode.Hiragana, unicode.Katakana):
		return map[Encoding]float64{ShiftJIS: 3, EUCJP: 3}[enc]
	case unicode.Is(unicode.Hangul, r) && enc == EUCKR:
		return often(hangul, r) + level(r, enc)
	case unicode.Is(unicode.Hangul, r):
		return -2
	case !unicode.Is(unicode.Han, r): // signs
		return 0.2
	}
	switch enc {
	case GBK:
		return often(chinese, r) + level(r, enc)
	case Big5:
		return often(traditional, r) + level(r, enc)
	case EUCKR:
		return -1
	}
	return level(r, enc)
}

func often(list string, r rune) float64 {
	if strings.ContainsRune(list, r) {
		return 2
	}
	return 0
}

// level tells the characters in common use, which each of these encodings has before the
// others, from the rest.
func level(r rune, enc Encoding) float64 {
	b, err := olds[enc].NewEncoder().Bytes([]byte(string(r)))
	if err != nil || len(b) != 2 {
		return -2
	}
	within := func(from, to byte) bool { return b[0] >= from && b[0] <= to }
	second := b[1] >= 0xa1
	switch {
	case enc == GBK && within(0xb0, 0xd7) && second, enc == EUCKR && within(0xb0, 0xc8) && second, enc == Big5 && within(0xa4, 0xc6), enc == EUCJP && within(0xb0, 0xcf), enc == ShiftJIS && within(0x88, 0x98):
		return 1
	case enc == GBK && within(0xd8, 0xf7) && second, enc == Big5, enc == EUCJP, enc == ShiftJIS:
		return -0.5
	}
	return -2
}

// single is what a text in an encoding of one byte a character is worth: Cyrillic letters
// stand together and only the first is a capital, Western ones beside those of ASCII.
func single(text string, enc Encoding) float64 {
	worth, count := 0.0, 0
	var before rune
	for _, r := range text {
		last := before
		before = r
		if r < 0x80 {
			if enc == CP1251 && unicode.Is(unicode.Cyrillic, last) && unicode.IsLetter(r) {
				worth -= 2
			}
			continue
		}
		count++
		switch {
		case enc == CP1251 && unicode.Is(unicode.Cyrillic, r):
			switch {
			case unicode.Is(unicode.Cyrillic, last):
				worth += 1.5
				if unicode.IsUpper(r) && unicode.IsLower(last) {
					worth -= 3
				}
			case last < 0x80 && unicode.IsLetter(last):
				worth -= 2
			default:
				worth += 0.3
			}
		case enc == CP1252 && unicode.IsLetter(r):
			switch {
			case last >= 0x80 && unicode.IsLetter(last):
				worth -= 0.5
			case last < 0x80 && unicode.IsLetter(last) && unicode.IsUpper(r) && unicode.IsLower(last):
				worth--
			default:
				worth++
			}
		case unicode.IsControl(r):
			worth -= 3
		case strings.ContainsRune("€“”‘’–—…«»„°§©®™№", r):
			worth += 0.9
		default:
			worth += 0.2
		}
	}
	if count == 0 {
		return 0
	}
	return worth / float64(count)
}
