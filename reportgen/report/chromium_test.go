package report_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var screenshots = flag.String("screenshots", "", "directory to keep pictures of the page in")

// A browser is a headless Chromium that is spoken to through two pipes: JSON messages that end with a NUL.
type browser struct {
	t       *testing.T
	in      io.Writer
	out     *bufio.Reader
	id      int
	session string

	requests []string // URLs that the page asked for, without its own
	console  []string // errors and warnings of the console, uncaught exceptions, violated policies
}

// message is what goes through the pipes, in both directions.
type message struct {
	ID        int             `json:"id,omitempty"`
	Session   string          `json:"sessionId,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    any             `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     json.RawMessage `json:"error,omitempty"`
	RawParams json.RawMessage `json:"-"`
}

// newBrowser starts Chromium with an empty page, and ends it with the test.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: Chromium takes seconds to start")
	}
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && program == "" {
			program = path
		}
	}
	if program == "" {
		t.Skip("no Chromium in PATH: apt-get install chromium")
	}
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	killer := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	b := &browser{t: t, in: ourOut, out: bufio.NewReaderSize(ourIn, 1<<20)}
	t.Cleanup(func() {
		b.call("Browser.close", nil, nil)
		if cmd.Wait() != nil && t.Failed() {
			t.Logf("Chromium: %s", stderr.Bytes())
		}
		killer.Stop()
		ourIn.Close()
		ourOut.Close()
	})
	b.attach()
	return b
}

// attach opens a session with the first page.
func (b *browser) attach() {
	b.t.Helper()
	var targets struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	b.call("Target.getTargets", nil, &targets)
	for _, target := range targets.TargetInfos {
		if target.Type == "page" {
			var session struct{ SessionID string }
			b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
			b.session = session.SessionID
			break
		}
	}
	for _, domain := range []string{"Page", "Network", "Runtime", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
	b.call("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
}

// call sends a command and waits for its answer; what happens in between is noted.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	b.id++
	data, err := json.Marshal(message{ID: b.id, Session: b.session, Method: method, Params: params})
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(data, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	b.until(method, func(m *message) bool {
		if m.ID != b.id {
			return false
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
		return true
	})
}

// until reads messages up to the one that is waited for.
func (b *browser) until(what string, done func(m *message) bool) {
	b.t.Helper()
	for {
		data, err := b.out.ReadBytes(0)
		if err != nil {
			if what == "Browser.close" {
				return
			}
			b.t.Fatalf("waiting for %s: %v", what, err)
		}
		var m message
		var params struct{ Params json.RawMessage }
		if err := json.Unmarshal(data[:len(data)-1], &m); err != nil {
			b.t.Fatal(err)
		}
		if err := json.Unmarshal(data[:len(data)-1], &params); err != nil {
			b.t.Fatal(err)
		}
		m.RawParams = params.Params
		b.note(&m)
		if done(&m) {
			return
		}
	}
}

// note keeps requests and complaints of the page.
func (b *browser) note(m *message) {
	switch m.Method {
	case "Network.requestWillBeSent":
		var p struct {
			Type    string
			Request struct{ URL string }
		}
		if json.Unmarshal(m.RawParams, &p) == nil && p.Type != "Document" && !strings.HasPrefix(p.Request.URL, "data:") {
			b.requests = append(b.requests, p.Request.URL)
		}
	case "Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled":
		b.console = append(b.console, string(m.RawParams))
	}
}

// open loads a file, as the page would be opened from a directory.
func (b *browser) open(file string) {
	b.t.Helper()
	abs, err := filepath.Abs(file)
	if err != nil {
		b.t.Fatal(err)
	}
	b.requests, b.console = nil, nil
	loaded := false
	b.id++
	data, err := json.Marshal(message{ID: b.id, Session: b.session, Method: "Page.navigate", Params: map[string]string{"url": "file://" + abs}})
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(data, 0)); err != nil {
		b.t.Fatal(err)
	}
	answered := false
	b.until("the page", func(m *message) bool {
		loaded = loaded || m.Method == "Page.loadEventFired"
		answered = answered || m.ID == b.id
		return loaded && answered
	})
}

// eval runs an expression in the page and reads its value.
func (b *browser) eval(expression string, value any) {
	b.t.Helper()
	var result struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &result)
	if result.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, result.ExceptionDetails)
	}
	if err := json.Unmarshal(result.Result.Value, value); err != nil {
		b.t.Fatalf("%s: %v: %s", expression, err, result.Result.Value)
	}
}

// appear sets the colour scheme, the medium and the width of the window in pixels.
func (b *browser) appear(scheme, medium string, width int) {
	b.t.Helper()
	b.call("Emulation.setEmulatedMedia", map[string]any{"media": medium, "features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
}

// picture keeps the page as <name>.png, if pictures are wanted.
func (b *browser) picture(name string) {
	b.t.Helper()
	if *screenshots == "" {
		return
	}
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		err = os.WriteFile(filepath.Join(*screenshots, name+".png"), data, 0o666)
	}
	if err != nil {
		b.t.Error(err)
	}
}

// click presses the first element that the selector matches.
func (b *browser) click(selector string) {
	b.t.Helper()
	var found bool
	b.eval(fmt.Sprintf("(() => { const e = document.querySelector(%q); e?.click(); return !!e; })()", selector), &found)
	if !found {
		b.t.Fatalf("no %s in the page", selector)
	}
}
