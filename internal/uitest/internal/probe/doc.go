// Package probe holds small programs for the tests of the driver. They live in
// the test binary, which runs as one of them when a variable of its environment
// says so:
//
//	func TestMain(m *testing.M) {
//		probe.Main()
//		os.Exit(uitest.Main(m))
//	}
//
// Two programs are there: "app" is full-screen, on the toolkit and with the
// protocol of the real one, and shows what it was sent; "raw" writes its
// arguments to the terminal.
package probe
