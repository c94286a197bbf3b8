package network

import (
	"strings"
	"testing"
)

func TestParseName(t *testing.T) {
	for host, want := range map[string]string{
		"Example.COM":                   "example.com",
		"example.com.":                  "example.com",
		"bücher.example":                "xn--bcher-kva.example",
		"BÜCHER.example":                "xn--bcher-kva.example",
		"ｅｘａｍｐｌｅ．ｃｏｍ":                   "example.com",
		"a。b":                           "a.b",
		"_dmarc.example.com":            "_dmarc.example.com",
		"r3---sn-4g5.example.com":       "r3---sn-4g5.example.com",
		"localhost":                     "localhost",
		"127.0.0.1":                     "127.0.0.1",
		"127.0.0.1.":                    "127.0.0.1",
		"0x7f.1":                        "127.0.0.1",
		"0X7F.0x00.0.01":                "127.0.0.1",
		"017700000001":                  "127.0.0.1",
		"2130706433":                    "127.0.0.1",
		"0x7f000001":                    "127.0.0.1",
		"127.1":                         "127.0.0.1",
		"10.257":                        "10.0.1.1",
		"0":                             "0.0.0.0",
		"１２７.０.０.１":                     "127.0.0.1",
		"⑫7.0.0.1":                      "127.0.0.1",
		"[::1]":                         "::1",
		"::1":                           "::1",
		"[::FFFF:127.0.0.1]":            "127.0.0.1",
		"[0:0:0:0:0:ffff:7f00:1]":       "127.0.0.1",
		"2001:DB8::0001":                "2001:db8::1",
		"1.example":                     "1.example",
		"1.2.3.4.example":               "1.2.3.4.example",
		strings.Repeat("a.", 126) + "a": strings.Repeat("a.", 126) + "a",
	} {
		name, err := ParseName(host)
		if err != nil || name.String() != want {
			t.Errorf("%q is %q, %v; want %q", host, name, err, want)
		}
		again, err := ParseName(name.String())
		if err != nil || again != name {
			t.Errorf("%q read again is %q, %v", name, again, err)
		}
	}
	for _, host := range []string{
		"", ".", "..", "a..b", "a.b..", ".a", "127.0.0.1..", "256.0.0.1", "1.2.3.4.5", "1.2.3.256", "127.0.0.08", "0x100000000", "4294967296",
		"a.1", "example.0x7f", "a b", "a\r\nb", "a\x00b", "\xa9", "a/b", "a@b", "a%2e", "a:b", "*.a", "[::1", "::1]", "[a]", "[127.0.0.1]", "fe80::1%eth0", "[fe80::1%25eth0]",
		"-\u200d\u00ad.\ufffd", strings.Repeat("a", 64), strings.Repeat("a.", 127) + "a", strings.Repeat("ü", 100_000),
	} {
		if name, err := ParseName(host); err == nil {
			t.Errorf("%.40q is %q", host, name)
		}
	}
}

func TestHosts(t *testing.T) {
	hosts, err := ParseHosts([]string{
		"registry.npmjs.org", "*.golang.org", "Bücher.Example.", "*.example.net:8443", "10.0.0.7:5432", "[2001:db8::1]:443", "2001:db8::2", "localhost:3000",
	})
	if err != nil {
		t.Fatal(err)
	}
	const no, yes, named = 0, 1, 2
	for _, c := range []struct {
		host string
		port int
		want int
	}{
		{"registry.npmjs.org", 443, named},
		{"REGISTRY.npmjs.org.", 80, named},
		{"a.registry.npmjs.org", 443, no},
		{"registry.npmjs.org.evil.test", 443, no},
		{"evilregistry.npmjs.org", 443, no},
		{"golang.org", 443, no},
		{"proxy.golang.org", 443, yes},
		{"a.b.golang.org", 443, yes},
		{"evilgolang.org", 443, no},
		{".golang.org", 443, no},
		{"xn--bcher-kva.example", 443, named},
		{"bücher.example", 443, named},
		{"bucher.example", 443, no},
		{"a.example.net", 8443, yes},
		{"a.example.net", 443, no},
		{"10.0.0.7", 5432, named},
		{"0xa.7", 5432, named},
		{"10.0.0.7", 5433, no},
		{"::ffff:10.0.0.7", 5432, named},
		{"2001:db8::1", 443, named},
		{"[2001:0db8::1]", 443, named},
		{"2001:db8::1", 80, no},
		{"2001:db8::2", 80, named},
		{"localhost", 3000, named},
		{"127.0.0.1", 3000, named},
		{"::1", 3000, named},
		{"[::1]", 3000, named},
		{"::1", 3001, no},
		{"127.0.0.2", 3000, no},
		{"", 443, no},
		{"a b", 443, no},
	} {
		got := no
		if hosts.Match(c.host, c.port) {
			got = yes
		}
		if hosts.Names(c.host, c.port) {
			got++
		}
		if got != c.want {
			t.Errorf("%s:%d: %d, want %d", c.host, c.port, got, c.want)
		}
	}
	if (Hosts{}).Match("example.com", 443) {
		t.Error("nothing matches something")
	}
	for _, bad := range []string{"", "*", "*.", "*.*.a", "a.*", "*a.b", "https://a.b", "a.b/c", "a.b:", "a.b:0", "a.b:65536", "a.b:+1", "a.b:x", ":80", "*.10.0.0.1", "*.::1", "[::1]:", "a b"} {
		if _, err := ParseHosts([]string{"fine.example", bad}); err == nil || !strings.Contains(err.Error(), "is no host: write a name") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
