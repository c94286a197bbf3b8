package charset

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEncodings(t *testing.T) {
	for _, c := range []struct {
		name, bytes, text string
		enc               Encoding
		intact            bool
	}{
		{"plain", "héllo", "héllo", UTF8, true},
		{"empty", "", "", UTF8, true},
		{"mark", "\xEF\xBB\xBFhi", "hi", UTF8BOM, true},
		{"little endian", "\xFF\xFEh\x00\xe9\x00\x3d\xd8\x00\xde", "hé😀", UTF16LE, true},
		{"big endian", "\xFE\xFF\x00h\xd8\x3d\xde\x00", "h😀", UTF16BE, true},
		{"half character", "\xFF\xFE\x3d\xd8h\x00", "\uFFFDh", UTF16LE, false},
		{"real replacement character", "\xFF\xFE\xfd\xff", "\uFFFD", UTF16LE, true},
		{"odd length", "\xFF\xFEh\x00x", "h\uFFFD", UTF16LE, false},
		{"western", "caf\xe9 \xfc", "café ü", CP1252, true},
		{"latin-1", "caf\xe9 \xfc\x81", "café ü\u0081", Latin1, true},
		{"little endian without mark", "h\x00\xe9\x00l\x00l\x00o\x00\n\x00", "héllo\n", bareLE, true},
		{"big endian without mark", "\x00h\x04\x1f\x04\x40\x04\x38\x00\n", "hПри\n", bareBE, true},
		{"a program", "\x00\x01\x02\x00abc", "\x00\x01\x02\x00abc", UTF8, true},
		{"damaged utf-8", "äöü\xe9", "äöü\uFFFD", UTF8, false},
		{"damaged with mark", "\xEF\xBB\xBFa\xe9", "a\uFFFD", UTF8BOM, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, enc, intact := Decode([]byte(c.bytes))
			if text != c.text || enc != c.enc || intact != c.intact {
				t.Errorf("Decode = %q, %s, %v", text, enc, intact)
			}
			if !intact {
				return
			}
			back, err := Encode(text, enc)
			if err != nil || string(back) != c.bytes {
				t.Errorf("Encode = %q, %v", back, err)
			}
		})
	}
	if _, err := Encode("→", Latin1); !errors.Is(err, ErrUnencodable) {
		t.Errorf("an arrow in Latin-1: %v", err)
	}
	if data, err := Encode("\uFEFFx", UTF16BE); err != nil || string(data) != "\xFE\xFF\x00x" {
		t.Errorf("the mark was doubled: %q, %v", data, err)
	}
}

// TestGuess reads texts in the encodings that files had before: short and long ones, with
// and without much ASCII around them.
func TestGuess(t *testing.T) {
	texts := map[Encoding][]string{
		GBK: {
			"# 配置文件\nname = 测试\nport = 80\n", "测试", "// 打开数据库连接\nfunc open() error {\n", "用户名或密码错误，请重新输入。", "该软件按照现状提供，不附带任何担保。", "中文", "北京市海淀区", "错误：找不到文件",
			"人工智能是研究、开发用于模拟、延伸和扩展人的智能的理论、方法、技术及应用系统的一门新的技术科学。",
		},
		Big5: {
			"# 設定檔\nname = 測試\n", "使用者名稱或密碼錯誤，請重新輸入。", "這是一個繁體中文的文字檔，用來測試編碼的判斷。", "錯誤：找不到檔案", "台北市信義區",
		},
		ShiftJIS: {"// 設定を読む\nint x = 1;\n", "ファイルが見つかりません", "テスト", "これは日本語の文章です。文字コードを判定します。", "エラー: 接続できません\n"},
		EUCJP:    {"// 設定を読む\nint x = 1;\n", "ファイルが見つかりません", "これは日本語の文章です。文字コードを判定します。"},
		EUCKR:    {"// 설정 파일을 읽는다\nint x;\n", "사용자 이름 또는 비밀번호가 잘못되었습니다.", "테스트", "한국어로 작성된 문서입니다. 인코딩을 확인합니다.", "오류: 파일을 찾을 수 없습니다"},
		CP1251:   {"# Настройки\nport=80\n", "Привет, мир!", "// Открыть соединение с базой данных\n", "Ошибка: файл не найден", "Имя пользователя и пароль", "тест", "ВНИМАНИЕ: не удалять"},
		CP1252:   {"price: €50 – “sale”\r\nx=1\r\n", "Größe ändern", "Où est passé l’été ?", "Übergröße", "El año que viene, señor", "coração e ação", "naïve café", "Fußgängerübergänge", "© 2020 Müller", "it’s"},
	}
	wrong := 0
	for enc, list := range texts {
		for _, text := range list {
			for _, around := range []string{"", strings.Repeat("plain = text\n", 3000)} {
				data, err := Encode(around+text, enc)
				if err != nil {
					t.Fatal(enc, text, err)
				}
				got, is, intact := Decode(data)
				if got != around+text || is != enc || !intact {
					t.Errorf("%q in %s is read as %s: %.40q", text, enc, is, strings.TrimPrefix(got, around))
					wrong++
				}
			}
		}
	}
}

// FuzzDecode holds that what is read is text, and is written again as it was where that is
// promised.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "caf\xe9", "\xff\xfea", "\xb2\xe2\xca\xd4", "a\x00b\x00", "\x80\x81\x82", "\x1b$B%F\x1b(B"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, enc, intact := Decode(data)
		if !utf8.ValidString(text) {
			t.Fatalf("%q in %s is no text", text, enc)
		}
		if back, err := Encode(text, enc); intact && (err != nil || string(back) != string(data)) {
			t.Fatalf("%q in %s is written as %q, %v", data, enc, back, err)
		}
	})
}
