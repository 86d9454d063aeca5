package e2e

import (
	"testing"

	"github.com/gotestbed/gotestbed/fixtures"
)

func TestMain(m *testing.M) { fixtures.Main(m) }
