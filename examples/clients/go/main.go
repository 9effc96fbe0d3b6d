package main

import (
	"fmt"
	"net/http"

	"github.com/Unleash/unleash-go-sdk/v6"
	"github.com/Unleash/unleash-go-sdk/v6/context"
)

func main() {
	err := unleash.Initialize(
		unleash.WithUrl("http://127.0.0.1:4242/api"),
		unleash.WithAppName("shop"),
		unleash.WithCustomHeaders(http.Header{
			"Authorization": {"the-backend-token-printed-by-npm-start"},
		}),
		unleash.WithListener(&unleash.DebugListener{}),
	)
	if err != nil {
		panic(err)
	}
	unleash.WaitForReady()

	user := context.Context{UserId: "7"}
	isNew := unleash.IsEnabled("new-header", unleash.FeatureOptions{Ctx: user})
	colour := unleash.GetVariant("button-colour", unleash.VariantOptions{Ctx: user}).Name
	fmt.Printf("new-header: %t, button-colour: %s\n", isNew, colour)

	unleash.Close() // When the program ends: stops its goroutines.
}
