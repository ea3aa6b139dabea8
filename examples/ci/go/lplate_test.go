package example

// Copy this file beside your tests: `lplate` is L-Plate, started once for them. It starts `npx l-plate`, which needs
// Node.js 24 or newer; LPLATE_COMMAND names another command. It needs no module. Then: go test -count=1 ./...
// Without -count=1 Go repeats the result of before while your files are the same.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var lplate *LPlate

var settings = []string{
	"--port", "0", "--ready", "json", "--log-level", "warn", "--seed", "47", "--now", "2026-03-01T09:00Z",
	// It ends with the tests, also when they are killed: the pipe to its standard input is closed then.
	"--end-with-stdin",
	"--rate-limit-per-minute", "off", "--probe-limit-per-minute", "off",
}

// LPlate is the service that the tests call.
type LPlate struct {
	URL     string
	Secrets struct{ TrainerToken string }
}

// Problem is why a call was refused.
type Problem struct {
	Type   string
	Status int
	Detail string
}

func (p *Problem) Error() string { return p.Detail }

func TestMain(m *testing.M) {
	os.Exit(withLPlate(m.Run))
}

func withLPlate(run func() int) int {
	command := "npx --yes l-plate"
	if given := os.Getenv("LPLATE_COMMAND"); given != "" {
		command = given
	}
	words := append(strings.Fields(command), settings...)
	program := exec.Command(words[0], words[1:]...)
	program.Stderr = os.Stderr
	stdin, err := program.StdinPipe()
	if err != nil {
		panic(err)
	}
	stdout, err := program.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := program.Start(); err != nil {
		panic(err)
	}
	defer program.Wait()
	defer stdin.Close()
	if err := json.NewDecoder(stdout).Decode(&lplate); err != nil {
		fmt.Fprintln(os.Stderr, "L-Plate did not start:", err)
		return 1
	}
	return run()
}

// Call reads the body of the answer into `answer`, unless that is nil. The error of a call that was refused is a
// *Problem. Token and body may be left out: "" and nil.
func (l *LPlate) Call(method, path, token string, body, answer any) error {
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return err
		}
	}
	request, err := http.NewRequest(method, l.URL+path, &sent)
	if err != nil {
		return err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 400 {
		problem := &Problem{Status: response.StatusCode, Detail: string(text)}
		// What is no problem in JSON keeps its text.
		_ = json.Unmarshal(text, problem)
		return problem
	}
	if answer == nil || len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, answer)
}

// AsTrainer makes a call with the trainer's token, which must succeed.
func (l *LPlate) AsTrainer(t *testing.T, method, path string, body any) {
	t.Helper()
	if err := l.Call(method, "/range/v1/trainer"+path, l.Secrets.TrainerToken, body, nil); err != nil {
		t.Fatal(err)
	}
}

// Reset brings the state of the start back. Clients are gone then.
func (l *LPlate) Reset(t *testing.T) {
	t.Helper()
	l.AsTrainer(t, "POST", "/reset?what=everything", nil)
}

// Advance lets time go on for everybody, such as PT10S.
func (l *LPlate) Advance(t *testing.T, duration string) {
	t.Helper()
	l.AsTrainer(t, "POST", "/clock", map[string]string{"advance": duration})
}

// Token is one of a new demo client.
func (l *LPlate) Token(t *testing.T) string {
	t.Helper()
	var credentials map[string]any
	if err := l.Call("POST", "/insurer/v1/demo-clients", "", nil, &credentials); err != nil {
		t.Fatal(err)
	}
	var got struct {
		AccessToken string `json:"access_token"`
	}
	if err := l.Call("POST", "/insurer/v1/auth/token", "", credentials, &got); err != nil {
		t.Fatal(err)
	}
	return got.AccessToken
}
