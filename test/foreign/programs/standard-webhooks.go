// Verifies calls by the library of Standard Webhooks. Argument: a file with a list of calls. Prints which are verified.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	var calls []struct {
		Secret, Body string
		Headers      map[string]string
	}
	if err := json.Unmarshal(must(os.ReadFile(os.Args[1])), &calls); err != nil {
		log.Fatal(err)
	}
	verified := []bool{}
	for _, call := range calls {
		headers := http.Header{}
		for name, value := range call.Headers {
			headers.Set(name, value)
		}
		err := must(standardwebhooks.NewWebhook(call.Secret)).Verify([]byte(call.Body), headers)
		verified = append(verified, err == nil)
	}
	_ = json.NewEncoder(os.Stdout).Encode(verified)
}
