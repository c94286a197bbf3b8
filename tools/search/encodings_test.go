package search

import (
	"testing"

	"hermes-tui/tools/charset"
)

// TestOldEncodings finds text in files of the encodings that there were before, with and
// without the help of a program.
func TestOldEncodings(t *testing.T) {
	files := map[string]string{"plain.ini": "port = 80\n"}
	for name, c := range map[string]struct {
		enc  charset.Encoding
		text string
	}{
		"a.ini": {charset.GBK, "# 配置文件\nname = 测试\n"}, "b.ini": {charset.CP1251, "# Настройки\nport=80\n"}, "c.c": {charset.ShiftJIS, "// 設定を読む\n"}, "d.txt": {charset.CP1252, "“Größe”\n"},
		"e.txt": {charset.EUCKR, "// 설정 파일을 읽는다\n"}, "f.txt": {charset.UTF16LE, "Größe\n"},
	} {
		data, err := charset.Encode(c.text, c.enc)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(data)
	}
	b := newBench(t)
	b.put(files)
	for pattern, want := range map[string][]string{
		"测试": {"a.ini:2"}, "Настройки": {"b.ini:1"}, "設定": {"c.c:1"}, "Größe": {"d.txt:1", "f.txt:1"}, "파일": {"e.txt:1"}, "name": {"a.ini:2"},
	} {
		b.same(pattern, b.find(map[string]any{"pattern": pattern}).lines(), want)
	}
}
