package atomicfile

import "testing"

func TestOnNetwork(t *testing.T) {
	for kind, want := range map[uint32]bool{0x01021997: true, 0x6969: true, 0xff534d42: true, 0xfe534d42: true, 0x65735546: true, 0xef53: false, 0x01021994: false, 0x58465342: false} {
		if networked(kind) != want {
			t.Errorf("%x: want %v", kind, want)
		}
	}
	if OnNetwork("/no/such/folder") || OnNetwork(t.TempDir()) && !networked(0x6969) {
		t.Error("a folder that is not there, or a temporary one")
	}
}
