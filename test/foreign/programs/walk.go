// A client that oapi-codegen made of the published descriptions. Prints what it did as one line of JSON.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"time"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"lplate.example/clients/claims"
	"lplate.example/clients/insurer"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func is(status, wanted int, body []byte) {
	if status != wanted {
		log.Fatalf("%d, not %d: %s", status, wanted, body)
	}
}

func main() {
	ctx := context.Background()
	origin := os.Args[1]
	token := ""
	authorize := func(_ context.Context, request *http.Request) error {
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		return nil
	}
	policies := must(insurer.NewClientWithResponses(origin+"/insurer/v1", insurer.WithRequestEditorFn(authorize)))

	client := must(policies.CreateDemoClientWithResponse(ctx))
	is(client.StatusCode(), 201, client.Body)
	issued := must(policies.CreateTokenWithResponse(ctx, insurer.TokenRequest{
		ClientId: client.JSON201.ClientId, ClientSecret: client.JSON201.ClientSecret,
	}))
	is(issued.StatusCode(), 200, issued.Body)
	token = issued.JSON200.AccessToken

	holder := "Ada Example"
	start := openapi_types.Date{Time: time.Now().UTC().AddDate(0, 0, 1)}
	key := "walk-1"
	created := must(policies.CreatePolicyWithResponse(ctx, &insurer.CreatePolicyParams{IdempotencyKey: &key}, insurer.PolicyDraft{RegNumber: "WK-1234", Holder: &holder, StartDate: &start}))
	is(created.StatusCode(), 201, created.Body)
	id := created.JSON201.Id
	read := must(policies.ReadPolicyWithResponse(ctx, id, nil))
	is(read.StatusCode(), 200, read.Body)
	size := 5
	listed := must(policies.ListPoliciesWithResponse(ctx, &insurer.ListPoliciesParams{PageSize: &size}))
	is(listed.StatusCode(), 200, listed.Body)
	holder = "Grace Example"
	updated := must(policies.UpdatePolicyWithResponse(ctx, id, nil, insurer.PolicyChange{Holder: &holder}))
	is(updated.StatusCode(), 200, updated.Body)

	service := must(claims.NewClientWithResponses(origin+"/claims/v1", claims.WithRequestEditorFn(authorize)))
	registered := must(service.RegisterClaimWithResponse(ctx, &claims.RegisterClaimParams{IdempotencyKey: &key}, claims.ClaimDraft{PolicyNumber: id}))
	is(registered.StatusCode(), 201, registered.Body)
	claim := must(service.ReadClaimWithResponse(ctx, registered.JSON201.ClaimId, nil))
	is(claim.StatusCode(), 200, claim.Body)

	cancelled := must(policies.CancelPolicyWithResponse(ctx, id, nil))
	is(cancelled.StatusCode(), 200, cancelled.Body)
	refused := must(policies.UpdatePolicyWithResponse(ctx, id, nil, insurer.PolicyChange{Holder: &holder}))
	is(refused.StatusCode(), 409, refused.Body)

	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{
		"created":   created.JSON201.Status,
		"read":      read.JSON200.RegNumber,
		"listed":    listed.JSON200.TotalItems,
		"updated":   updated.JSON200.Holder,
		"claim":     claim.JSON200.Status,
		"cancelled": cancelled.JSON200.Status,
		"refused":   refused.ApplicationproblemJSON409.Title,
	})
}
