package sshtest_test

import (
	"fmt"
	"log"
	"os"

	"golang.org/x/crypto/ssh"

	"github.com/gotestbed/gotestbed/clusterenv/sshtest"
)

func ExampleServer() {
	dir, err := os.MkdirTemp("", "node")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	key, _, err := sshtest.NewKey()
	if err != nil {
		log.Fatal(err)
	}
	node, err := sshtest.NewServer(sshtest.Options{Dir: dir, User: "alice", AuthorizedKeys: []ssh.PublicKey{key.PublicKey()}})
	if err != nil {
		log.Fatal(err)
	}
	defer node.Close()

	client, err := ssh.Dial("tcp", node.Addr(), &ssh.ClientConfig{
		User:            "alice",
		Auth:            []ssh.AuthMethod{ssh.PublicKeys(key)},
		HostKeyCallback: ssh.FixedHostKey(node.HostKey()),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	session, err := client.NewSession()
	if err != nil {
		log.Fatal(err)
	}
	out, err := session.Output("echo $USER; test . -ef \"$HOME\" && echo at home")
	fmt.Print(string(out), err)
	// Output:
	// alice
	// at home
	// <nil>
}
