// Sort tickets: cd examples/go && go run .
package main

import (
	"context"
	"fmt"
	"log"
	"strings"
	"time"

	"clef.example/triage/clefpipe"
)

func main() {
	clef, err := clefpipe.Start("clef-mlx")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s is ready, clef-mlx %s\n", clef.Hello.Model, clef.Hello.Version)
	questions := map[string]any{
		"team":  map[string]any{"type": "choice", "criteria": map[string]any{"repairs": "Something is broken.", "billing": nil}},
		"today": map[string]any{"type": "noul", "instructions": "Must someone act today?"},
	}
	for _, ticket := range []string{"The kiosk prints blank tickets.", "I was charged twice."} {
		decision, err := clef.Decide(context.Background(), clefpipe.Request{State: ticket, Questions: questions})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s, today %.4f: %s\n", decision.Answers["team"].Choice, decision.Answers["today"].Noul, ticket)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err = clef.Decide(ctx, clefpipe.Request{State: strings.Repeat("The kiosk is far away. ", 2000), Questions: questions})
	fmt.Println("taken back:", err)
	_, err = clef.Decide(context.Background(), clefpipe.Request{State: "x"})
	fmt.Println("refused:", err)
	if err := clef.Close(); err != nil {
		log.Fatal(err)
	}
}
