package example

import (
	"errors"
	"testing"
)

type policy struct{ ID, RegNumber, StartDate string }

type claim struct{ ClaimID, Status string }

func insure(t *testing.T, token, regNumber string) policy {
	t.Helper()
	var created policy
	draft := map[string]string{"regNumber": regNumber}
	if err := lplate.Call("POST", "/insurer/v1/policies", token, draft, &created); err != nil {
		t.Fatal(err)
	}
	return created
}

func TestAPolicyBeginsTodayAndIsTheSameInEachRun(t *testing.T) {
	for _, run := range []string{"first", "second"} {
		t.Run(run, func(t *testing.T) {
			lplate.Reset(t)
			wanted := policy{"pol-019ca8a0-3e80-704c-acb3-fc0cb5a0e988", "TEST-0001", "2026-03-01"}
			if created := insure(t, lplate.Token(t), "TEST-0001"); created != wanted {
				t.Errorf("%v, not %v", created, wanted)
			}
		})
	}
}

func TestAVehicleHasOnePolicyInForce(t *testing.T) {
	lplate.Reset(t)
	token := lplate.Token(t)
	insure(t, token, "TEST-0001")
	err := lplate.Call("POST", "/insurer/v1/policies", token, map[string]string{"regNumber": "TEST-0001"}, nil)
	var problem *Problem
	if !errors.As(err, &problem) || problem.Status != 409 {
		t.Errorf("the second one: %v", err)
	}
}

func TestAClaimMovesWhenTimeDoes(t *testing.T) {
	lplate.Reset(t)
	token := lplate.Token(t)
	var registered, moved claim
	draft := map[string]string{"policyNumber": insure(t, token, "TEST-0001").ID}
	if err := lplate.Call("POST", "/claims/v1/claims", token, draft, &registered); err != nil {
		t.Fatal(err)
	}
	lplate.Advance(t, "PT10S")
	if err := lplate.Call("GET", "/claims/v1/claims/"+registered.ClaimID, token, nil, &moved); err != nil {
		t.Fatal(err)
	}
	if registered.Status != "REGISTERED" || moved.Status != "UNDER_REVIEW" {
		t.Errorf("from %s to %s", registered.Status, moved.Status)
	}
}
