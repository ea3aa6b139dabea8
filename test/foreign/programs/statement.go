// Reads a statement in CSV. Arguments: the file, and its format. Prints the count and the sums, in cents, of its rows and of
// its trailer as one line of JSON.
package main

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"log"
	"os"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var text io.Reader = file
	if os.Args[2] == "csv-1252" {
		text = charmap.Windows1252.NewDecoder().Reader(file)
	}
	reader := csv.NewReader(text)
	if os.Args[2] == "csv-1252" {
		reader.Comma = ';'
	}
	// The trailer has fewer fields.
	reader.FieldsPerRecord = -1
	lines, err := reader.ReadAll()
	if err != nil {
		log.Fatal(err)
	}
	rows, trailer := lines[1:len(lines)-1], lines[len(lines)-1]
	sums := []int{len(rows), 0, 0}
	for _, row := range rows {
		sums[1] += number(row[5])
		sums[2] += number(row[6])
	}
	told := []int{number(trailer[1]), number(trailer[2]), number(trailer[3])}
	_ = json.NewEncoder(os.Stdout).Encode([][]int{sums, told})
}

func number(text string) int {
	found, err := strconv.Atoi(strings.NewReplacer(".", "", ",", "").Replace(text))
	if err != nil {
		log.Fatal(err)
	}
	return found
}
