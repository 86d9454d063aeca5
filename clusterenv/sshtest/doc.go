// Package sshtest is an SSH server for tests, what net/http/httptest is to net/http: one [Server] is one node, with a
// directory of its own that is both home and start directory, listening on a loopback address.
//
// Commands really run. As with OpenSSH's sshd,
//
//   - the string of an exec request goes to "/bin/sh -c", in a session and process group of its own, with an environment
//     built from nothing (PATH, HOME, USER, LOGNAME, SHELL, SSH_CLIENT, SSH_CONNECTION); a shell request runs a login
//     shell on the channel;
//   - input and output are pipes, and a reader that is slow on one side slows the writer on the other;
//   - exit-status or exit-signal is sent when the command itself ends, but the channel stays open until every process
//     that inherited the output pipes has closed them: a daemon must redirect its output or it holds the channel;
//   - a signal request goes to the command's process group;
//   - when the client closes the channel, or the connection breaks, nobody is killed: the command finds its input at EOF
//     and its output broken (SIGPIPE at the next write), and runs on if it does neither;
//   - a connection holds at most 10 sessions ([Options].MaxSessions); one more is refused with "open failed";
//   - keepalive@openssh.com is answered, with "failure", which is an answer;
//   - env requests, terminals, subsystems, agent, X11 and TCP forwarding are refused.
//
// The package's tests run against OpenSSH as well, where it is installed. The differences:
//
//   - a signal request is obeyed for every user, while sshd refuses it to root and where a command is forced;
//   - [Server.Close] kills the process groups of commands that still run, so that a test leaves nothing behind. A daemon that
//     has called setsid lives on, as it would on a node.
package sshtest
