package main

import "os"

func main() {
	text, err := os.ReadFile("schema.json")
	if err != nil {
		panic("no schema: " + err.Error())
	}
	os.WriteFile("schema.go", generate(text), 0o777)
}
