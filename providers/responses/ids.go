package responses

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"hermes-tui/providers"
)

// longestID is how long the id of a call may be on the wire, in bytes.
const longestID = 64

// callIDs gives the calls of one request ids that the protocol takes, each another
// one. The same history always gets the same ids.
type callIDs struct {
	wire  map[string]string // by our id
	taken map[string]bool
}

func newCallIDs() *callIDs {
	return &callIDs{wire: map[string]string{}, taken: map[string]bool{}}
}

// assign names a call: as the provider did, else by our id, else by what it is.
func (ids *callIDs) assign(k providers.Call) string {
	id := validID(k.WireID)
	if id == "" || ids.taken[id] {
		id = validID(k.ID)
	}
	for n := 0; id == "" || ids.taken[id]; n++ {
		id = "call_" + digest(fmt.Sprintf("%s:%s:%d", k.Name, k.Arguments, n))
	}
	ids.taken[id], ids.wire[k.ID] = true, id
	return id
}

// of is the name of the call that a result belongs to.
func (ids *callIDs) of(m providers.Message) string {
	if id, ok := ids.wire[m.CallID]; ok {
		return id
	}
	return validID(m.CallID)
}

// validID makes an id of at most [longestID] letters, digits, - and _. What follows
// a bar is the id of the item that some programs store along with that of the call.
func validID(id string) string {
	id, _, _ = strings.Cut(id, "|")
	valid := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, id)
	if len(valid) > longestID {
		sum := digest(id)
		valid = valid[:longestID-1-len(sum)] + "_" + sum
	}
	return valid
}

// digest is a short sum of a text.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:6])
}
