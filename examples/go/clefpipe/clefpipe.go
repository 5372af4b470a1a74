// Package clefpipe runs one `clef-mlx pipe` as a child process: requests in, decisions out.
package clefpipe

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
)

// Error is a request that was not decided. Type is a class of clef_mlx's errors, or "cancelled".
type Error struct {
	Type     string `json:"type"`
	Message  string `json:"message"`
	Location []any  `json:"location"`
}

func (e *Error) Error() string { return e.Message }

// Request is what a decision is asked for. State is any JSON value.
type Request struct {
	ID        uint64         `json:"id"`
	State     any            `json:"state"`
	Questions map[string]any `json:"questions"`
	Images    []string       `json:"images,omitempty"`
	Options   map[string]any `json:"options,omitempty"`
}

// Answer is the answer to one question; which fields are set depends on its type.
type Answer struct {
	Type          string             `json:"type"`
	Noul          float64            `json:"noul"`
	Choice        string             `json:"choice"`
	Score         float64            `json:"score"`
	Confidence    float64            `json:"confidence"`
	Probabilities map[string]float64 `json:"probabilities"`
}

// Decision is what a request got. Answers are by question.
type Decision struct {
	Model   string            `json:"model"`
	Answers map[string]Answer `json:"answers"`
	Usage   map[string]int    `json:"usage"`
	Error   *Error            `json:"error"`
}

// Hello is what the child says once its model has decided.
type Hello struct {
	Version  string         `json:"version"`
	Protocol int            `json:"protocol"`
	Model    string         `json:"model"`
	Limits   map[string]int `json:"limits"`
	Error    *Error         `json:"error"`
}

// Clef is the running child. Its methods may be called from any goroutine.
type Clef struct {
	Hello   Hello
	command *exec.Cmd
	stdin   io.WriteCloser
	writing sync.Mutex         // held while a line is written, which waits while the child takes no more
	sent    uint64             // requests so far, guarded by writing
	lock    sync.Mutex         // guards what follows
	waiting []chan<- *Decision // in the order of the requests, which is that of the answers
	ended   bool
	done    chan struct{}
}

// ErrEnded says that the child ended before it answered.
var ErrEnded = errors.New("clef-mlx pipe has ended")

// Start starts command (such as "clef-mlx") and waits until its model has decided once. args are those of the pipe.
func Start(command string, args ...string) (*Clef, error) {
	c := &Clef{command: exec.Command(command, append([]string{"pipe"}, args...)...), done: make(chan struct{})}
	c.command.Stderr = os.Stderr
	stdin, err := c.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	c.stdin = stdin
	stdout, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.command.Start(); err != nil {
		return nil, err
	}
	lines := json.NewDecoder(bufio.NewReader(stdout))
	if err := lines.Decode(&c.Hello); err != nil || c.Hello.Error != nil {
		_ = c.stdin.Close()
		_ = c.command.Wait()
		if err == nil {
			return nil, c.Hello.Error
		}
		return nil, ErrEnded
	}
	go c.read(lines)
	return c, nil
}

// Decide asks for a decision and waits for it. When ctx ends first, the request is taken back.
func (c *Clef) Decide(ctx context.Context, request Request) (*Decision, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	answer := make(chan *Decision, 1)
	id, err := c.ask(request, answer)
	if err != nil {
		return nil, err
	}
	select {
	case decision, ok := <-answer:
		if !ok {
			return nil, ErrEnded
		}
		if decision.Error != nil {
			return nil, decision.Error
		}
		return decision, nil
	case <-ctx.Done():
		c.writing.Lock()
		defer c.writing.Unlock()
		_ = json.NewEncoder(c.stdin).Encode(map[string]uint64{"cancel": id})
		return nil, ctx.Err()
	}
}

// Close takes no more requests, lets those that wait be answered, and ends the child.
func (c *Clef) Close() error {
	c.writing.Lock()
	_ = c.stdin.Close()
	c.writing.Unlock()
	<-c.done
	return c.command.Wait()
}

func (c *Clef) ask(request Request, answer chan<- *Decision) (uint64, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.sent++
	request.ID = c.sent
	line, err := json.Marshal(request)
	if err != nil {
		return 0, err
	}
	c.lock.Lock()
	if c.ended {
		c.lock.Unlock()
		return 0, ErrEnded
	}
	c.waiting = append(c.waiting, answer)
	c.lock.Unlock()
	// Where this fails the child is ending, and whoever waits is told.
	_, _ = c.stdin.Write(append(line, '\n'))
	return request.ID, nil
}

func (c *Clef) read(lines *json.Decoder) {
	for {
		decision := new(Decision)
		err := lines.Decode(decision)
		c.lock.Lock()
		if err != nil {
			c.ended = true
			for _, answer := range c.waiting {
				close(answer)
			}
			c.waiting = nil
			c.lock.Unlock()
			close(c.done)
			return
		}
		answer := c.waiting[0]
		c.waiting = c.waiting[1:]
		c.lock.Unlock()
		answer <- decision
	}
}
