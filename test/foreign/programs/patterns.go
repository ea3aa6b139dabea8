// Compiles the patterns of a JSON list in RE2. Argument: the file. Prints what it refuses as one line of JSON.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"regexp"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var patterns []string
	if err := json.Unmarshal(text, &patterns); err != nil {
		log.Fatal(err)
	}
	faults := []string{}
	for _, pattern := range patterns {
		if _, err := regexp.Compile(pattern); err != nil {
			faults = append(faults, fmt.Sprintf("RE2: %s: %v", pattern, err))
		}
	}
	_ = json.NewEncoder(os.Stdout).Encode(faults)
}
