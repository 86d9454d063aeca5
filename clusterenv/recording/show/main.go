// Show prints the file of one node in a recording, with all that is compressed in it.
//
//	go run ./clusterenv/recording/show testdata/recordings/TestStep6/mn
//	go run ./clusterenv/recording/show -asked testdata/recordings/TestStep6/mn
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/gotestbed/gotestbed/clusterenv/recording"
)

func main() {
	asked := flag.Bool("asked", false, "print only what was asked, not the answers")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: show [-asked] file...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	for _, path := range flag.Args() {
		rec, err := recording.Read(path)
		if err == nil {
			err = recording.Dump(os.Stdout, rec, !*asked)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "show:", err)
			os.Exit(1)
		}
	}
}
