//go:build !linux

package main

import (
	"errors"
	"os"
)

func openDirect(string) (*os.File, error)       { return nil, errors.ErrUnsupported }
func forget(*os.File, int64) error              { return errors.ErrUnsupported }
func resident(*os.File, int64) (float64, error) { return 0, errors.ErrUnsupported }
func freeSpace(string) (int64, error)           { return 0, errors.ErrUnsupported }
