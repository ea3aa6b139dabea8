// An app that a person lets in, by golang.org/x/oauth2. Arguments: issuer, origin, client, secret.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"golang.org/x/oauth2"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// What the library does not read itself.
type metadata struct {
	Issuer        string
	Authorization string `json:"authorization_endpoint"`
	Token         string `json:"token_endpoint"`
	Revocation    string `json:"revocation_endpoint"`
}

func read(issuer string) (found metadata) {
	answer := must(http.Get(issuer + "/.well-known/oauth-authorization-server"))
	if err := json.NewDecoder(answer.Body).Decode(&found); err != nil {
		log.Fatal(err)
	}
	return found
}

// The ids of the policies that a client sees, or the status of its refusal.
func policies(client *http.Client, origin string) any {
	answer := must(client.Get(origin + "/insurer/v1/policies"))
	if answer.StatusCode != 200 {
		return answer.StatusCode
	}
	var list struct{ Items []struct{ ID string } }
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		log.Fatal(err)
	}
	ids := []string{}
	for _, each := range list.Items {
		ids = append(ids, each.ID)
	}
	return ids
}

func main() {
	ctx := context.Background()
	issuer, origin, id, secret := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	server := read(issuer)
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	config := oauth2.Config{
		ClientID:     id,
		ClientSecret: secret,
		Endpoint:     oauth2.Endpoint{AuthURL: server.Authorization, TokenURL: server.Token},
		RedirectURL:  "http://" + listener.Addr().String() + "/callback",
		Scopes:       []string{"policies:read", "claims:read"},
	}
	callbacks := make(chan url.Values)
	go http.Serve(listener, http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		fmt.Fprint(answer, "Go on in the app.")
		callbacks <- request.URL.Query()
	}))

	refusals := []string{}
	var token *oauth2.Token
	for token == nil {
		verifier, state := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
		fmt.Println(config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)))
		callback := <-callbacks
		// The library leaves both to the app.
		if callback.Get("state") != state {
			refusals = append(refusals, "another state")
		} else if callback.Get("iss") != server.Issuer {
			refusals = append(refusals, "another iss")
		} else {
			token = must(config.Exchange(ctx, callback.Get("code"), oauth2.VerifierOption(verifier)))
		}
	}
	seen := policies(config.Client(ctx, token), origin)

	// A token that has expired is renewed by itself.
	old := *token
	old.Expiry = time.Now().Add(-time.Minute)
	source := config.TokenSource(ctx, &old)
	renewed := must(source.Token())
	again := policies(oauth2.NewClient(ctx, source), origin)

	form := url.Values{"token": {renewed.RefreshToken}}
	form.Set("client_id", id)
	form.Set("client_secret", secret)
	must(http.PostForm(server.Revocation, form))
	call := policies(oauth2.NewClient(ctx, source), origin)
	ended := *renewed
	ended.Expiry = time.Now().Add(-time.Minute)
	_, err := config.TokenSource(ctx, &ended).Token()
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		log.Fatal("it still holds: ", err)
	}

	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{
		"refusals": refusals,
		"scope":    token.Extra("scope"),
		"seen":     seen,
		"again":    again,
		"ended":    []any{call, refused.ErrorCode},
	})
}
