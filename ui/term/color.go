package term

import (
	"bytes"
	"strings"
)

// appendColor writes a colour sequence with the given parameters, without
// those that would conceal text. Nothing is written when no parameter is left.
func appendColor(dst, params []byte) []byte {
	if bytes.IndexByte(params, '8') < 0 {
		return finishColor(dst, params)
	}
	var kept [][]byte
	args := bytes.Split(params, []byte{';'})
	for i := 0; i < len(args); i++ {
		switch paramValue(args[i]) {
		case "8":
			continue
		case "38", "48", "58":
			n := min(1+colorArgs(args[i:]), len(args)-i)
			kept = append(kept, args[i:i+n]...)
			i += n - 1
		default:
			kept = append(kept, args[i])
		}
	}
	if len(kept) == 0 {
		return dst
	}
	return finishColor(dst, bytes.Join(kept, []byte{';'}))
}

func finishColor(dst, params []byte) []byte {
	dst = append(dst, "\x1b["...)
	dst = append(dst, params...)
	return append(dst, 'm')
}

// paramValue is a parameter without its sub-parameters and leading zeros.
func paramValue(p []byte) string {
	if i := bytes.IndexByte(p, ':'); i >= 0 {
		p = p[:i]
	}
	return strings.TrimLeft(string(p), "0")
}

// colorArgs counts the parameters that belong to the colour selection at
// args[0], which is 38, 48 or 58.
func colorArgs(args [][]byte) int {
	if bytes.IndexByte(args[0], ':') >= 0 || len(args) < 2 {
		return 0
	}
	switch paramValue(args[1]) {
	case "5":
		return 2
	case "2":
		return 4
	}
	return 0
}
