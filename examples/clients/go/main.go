package main

import (
	"fmt"
	"net/http"

	"github.com/Unleash/unleash-client-go/v4"
	"github.com/Unleash/unleash-client-go/v4/context"
)

func main() {
	err := unleash.Initialize(
		unleash.WithUrl("http://127.0.0.1:4242/api"),
		unleash.WithAppName("shop"),
		unleash.WithCustomHeaders(http.Header{
			"Authorization": {"*:development.demo-backend-token-local"},
		}),
		unleash.WithListener(&unleash.DebugListener{}),
	)
	if err != nil {
		panic(err)
	}
	unleash.WaitForReady()

	user := context.Context{UserId: "7"}
	isNew := unleash.IsEnabled("new-header", unleash.WithContext(user))
	colour := unleash.GetVariant("button-colour", unleash.WithVariantContext(user)).Name
	fmt.Printf("new-header: %t, button-colour: %s\n", isNew, colour)

	unleash.Close() // When the program ends: sends the last usage report.
}
