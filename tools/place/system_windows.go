package place

import (
	"io/fs"
	"os"
)

func homeVariable() string { return "USERPROFILE" }

func defaultTemp(env environ) string { return env.get("TEMP") }

func shellNames() []string { return []string{"bash.exe", "sh.exe"} }

func executable(st fs.FileInfo) bool { return st.Mode().IsRegular() }

const openFlags = os.O_RDONLY

func keepOwner(*os.File, fs.FileInfo) {}

func ownedByUser(fs.FileInfo) bool { return true }

// linked reports whether a file may have other names.
func linked(fs.FileInfo) bool { return true }
