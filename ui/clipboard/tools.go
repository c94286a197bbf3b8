package clipboard

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"

	"hermes-tui/ui/term"
)

// powershell writes the image of the clipboard as base64, nothing without one.
const powershell = `Add-Type -AssemblyName System.Windows.Forms,System.Drawing;` +
	`$i=[Windows.Forms.Clipboard]::GetImage();if($i){$m=New-Object IO.MemoryStream;` +
	`$i.Save($m,[Drawing.Imaging.ImageFormat]::Png);[Convert]::ToBase64String($m.ToArray())}`

// toolsFor are the tools to try, best first.
func toolsFor(e term.Env) []tool {
	windows := tool{program: "powershell.exe", unpack: fromBase64, read: func(string) []string {
		return []string{"-NoProfile", "-NonInteractive", "-STA", "-Command", powershell}
	}}
	switch e.OS {
	case "darwin":
		if e.SSH {
			return nil
		}
		return []tool{
			{program: "pngpaste", read: func(string) []string { return []string{"-"} }},
			{program: "osascript", unpack: fromAppleScript, read: func(string) []string {
				return []string{"-e", "get the clipboard as «class PNGf»"}
			}},
		}
	case "windows":
		return []tool{windows}
	}
	var list []tool
	if e.Wayland {
		list = append(list, tool{program: "wl-paste", types: []string{"--list-types"}, read: func(media string) []string {
			return []string{"--no-newline", "--type", media}
		}})
	}
	if e.X11 {
		list = append(list, tool{
			program: "xclip", types: []string{"-selection", "clipboard", "-t", "TARGETS", "-o"},
			read: func(media string) []string { return []string{"-selection", "clipboard", "-t", media, "-o"} },
		})
	}
	if e.WSL {
		list = append(list, windows)
	}
	return list
}

// fromBase64 reads base64 with line breaks; what is none is nothing.
func fromBase64(out []byte) []byte {
	data, err := base64.StdEncoding.DecodeString(string(bytes.TrimSpace(out)))
	if err != nil {
		return nil
	}
	return data
}

// fromAppleScript reads data as AppleScript writes it: «data PNGf89504E47…».
func fromAppleScript(out []byte) []byte {
	_, rest, found := bytes.Cut(out, []byte("«data PNGf"))
	digits, _, closed := bytes.Cut(rest, []byte("»"))
	data := make([]byte, hex.DecodedLen(len(digits)))
	if _, err := hex.Decode(data, digits); err != nil || !found || !closed {
		return nil
	}
	return data
}
