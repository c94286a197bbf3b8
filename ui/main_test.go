package ui_test

import (
	"os"
	"testing"

	"hermes-tui/internal/uitest"
)

func TestMain(m *testing.M) { os.Exit(uitest.Main(m)) }
