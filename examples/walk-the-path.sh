#!/usr/bin/env bash
# Solves the lessons of L-Plate with curl, one topic after the other; not those about webhooks, which need a server. It needs
# a running L-Plate, bash, curl from 7.66 on and openssl:
#
#   HMAC_SECRET=… bash examples/walk-the-path.sh
#
# L-Plate prints the HMAC_SECRET when it starts. Where it asks for client certificates, CLIENT_CERT and CLIENT_KEY name the
# files of yours, in PEM.
set -euo pipefail

ROOT=${LPLATE_URL:-http://localhost:8080}
JSON='Content-Type: application/json'
FILES=$(mktemp -d)
trap 'rm -rf "$FILES"' EXIT

# Each curl below is this one: it shows no progress, keeps the headers of the answer, and waits where a limit is used up.
curl() {
  local code=0
  command curl -sS -D "$FILES/headers" "$@" > "$FILES/body" || code=$?
  if [[ $(header ratelimit-remaining) == 0 ]]; then sleep "$(header ratelimit-reset)"; fi
  cat "$FILES/body"
  echo
  return "$code"
}

# A header of the last answer.
header() {
  tr -d '\r' < "$FILES/headers" | awk -F': ' -v name="$1" 'tolower($1) == name { value = $2 } END { print value }'
}

# The first member of this name in a JSON text, if it is a text. In a script of your own use jq.
member() {
  local rest=${2#*\""$1"\":\"}
  echo "${rest%%\"*}"
}

PLATES=0
new_plate() {
  PLATES=$((PLATES + 1))
  PLATE="SH-$(date +%s)-$PLATES"
}

new_token() {
  TOKEN=$(member access_token "$(curl "$ROOT/insurer/v1/auth/token" -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials)")
  AUTH="Authorization: Bearer $TOKEN"
}

# Answers the question of a lesson. The answer is JSON.
answer() {
  local result
  result=$(curl "$ROOT/range/v1/me/answers" -H "$AUTH" -H "$JSON" -d '{"lesson":"'"$1"'","answer":'"$2"'}')
  [[ $result == *'"correct":true'* ]] || fail "$1: $(member advice "$result")"
}

# Moves the clock of this client ahead: PT61M. A token may have expired by then.
advance() {
  curl "$ROOT/range/v1/me/clock" -H "$AUTH" -H "$JSON" -d '{"advance":"'"$1"'"}'
}

start_drill() {
  curl "$ROOT/range/v1/me/drills" -H "$AUTH" -H "$JSON" -d '{"name":"'"$1"'","parameters":'"${2:-"{}"}"',"minutes":5}'
}

end_drill() {
  curl -X DELETE "$ROOT/range/v1/me/drills/$1" -H "$AUTH"
}

fail() {
  echo "$1" >&2
  exit 1
}

# Credentials and tokens.

# lesson: credentials
CREDENTIALS=$(curl -X POST "$ROOT/insurer/v1/demo-clients")
CLIENT_ID=$(member client_id "$CREDENTIALS")
CLIENT_SECRET=$(member client_secret "$CREDENTIALS")

# lesson: coverage-options
# What is open to all needs no token. The prefix /for/CLIENT_ID says whose call it is.
curl "$ROOT/for/$CLIENT_ID/insurer/v1/coverage-options"

# lesson: token-by-json
ANSWER=$(curl "$ROOT/insurer/v1/auth/token" -H 'Content-Type: application/json' \
  -d '{"client_id":"'"$CLIENT_ID"'","client_secret":"'"$CLIENT_SECRET"'"}')
TOKEN=$(member access_token "$ANSWER")
AUTH="Authorization: Bearer $TOKEN"

# lesson: token-by-form
# The same as a form, as OAuth libraries send it: curl sends a form where nothing else is said.
curl "$ROOT/insurer/v1/auth/token" -d grant_type=client_credentials -d "client_id=$CLIENT_ID" \
  -d "client_secret=$CLIENT_SECRET"

# lesson: token-by-basic
# With -u the id and the secret go into the header, as HTTP Basic has them.
ANSWER=$(curl "$ROOT/insurer/v1/auth/token" -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials)
TOKEN=$(member access_token "$ANSWER")
AUTH="Authorization: Bearer $TOKEN"

# lesson: token-decoded, token-key, unknown-key
# Base64url has other letters than base64 for two of them, and no = at its end.
decoded() {
  local text
  text=$(cut -d. -f"$1" <<< "$TOKEN" | tr '_-' '/+')
  while ((${#text} % 4)); do text+='='; done
  base64 -d <<< "$text"
}

# lesson: token-decoded
answer token-decoded "\"$(member sub "$(decoded 2)")\""

# lesson: token-key
# One of the keys has the kid that the token names. To check the signature with it is work for a library.
KID=$(member kid "$(decoded 1)")
[[ $(curl "$ROOT/.well-known/jwks.json") == *"\"kid\":\"$KID\""* ]]
answer token-key "\"$KID\""

# lesson: wrong-secret
curl "$ROOT/insurer/v1/auth/token" -u "$CLIENT_ID:wrong" -d grant_type=client_credentials

# lesson: no-header
curl "$ROOT/for/$CLIENT_ID/insurer/v1/policies"

# lesson: wrong-scheme
curl "$ROOT/for/$CLIENT_ID/insurer/v1/policies" -H "Authorization: Token $TOKEN"

# lesson: secret-leaked
# The new secret first, for every program. The one before ends by itself, a day later.
CLIENT_SECRET=$(member client_secret "$(curl -X POST "$ROOT/range/v1/me/secret" -H "$AUTH")")
new_token
advance P1D
new_token
# end

# Policies: their life, and what the register refuses.

new_plate
# lesson: create-policy, duplicate-policy, read-policy
POLICY=$(curl "$ROOT/insurer/v1/policies" -H "$AUTH" -H "$JSON" -d '{"regNumber":"'"$PLATE"'"}')
ID=$(member id "$POLICY")

# lesson: read-policy
curl "$ROOT/insurer/v1/policies/$ID" -H "$AUTH"

# lesson: duplicate-policy
# The same vehicle once more: 409.
curl "$ROOT/insurer/v1/policies" -H "$AUTH" -H "$JSON" -d '{"regNumber":"'"$PLATE"'"}'

# lesson: unknown-policy
# Nobody has a policy with this id: 404.
curl "$ROOT/insurer/v1/policies/pol-1" -H "$AUTH"
# end

new_plate
# lesson: anothers-policy
# Somebody else's policy, here that of a second client: the same 404.
OTHER=$(curl -X POST "$ROOT/insurer/v1/demo-clients")
OTHER=$(curl "$ROOT/insurer/v1/auth/token" -H "$JSON" -d "$OTHER")
THEIRS=$(curl "$ROOT/insurer/v1/policies" -H "Authorization: Bearer $(member access_token "$OTHER")" -H "$JSON" \
  -d '{"regNumber":"'"$PLATE"'"}')
curl "$ROOT/insurer/v1/policies/$(member id "$THEIRS")" -H "$AUTH"

# lesson: update-policy
# Once changed, its status is “updated”.
curl -X PUT "$ROOT/insurer/v1/policies/$ID" -H "$AUTH" -H "$JSON" -d '{"holder":"Ada Example"}'
curl "$ROOT/insurer/v1/policies/$ID" -H "$AUTH"

# lesson: cancel-twice
# To cancel it again is fine, and changes nothing.
curl -X POST "$ROOT/insurer/v1/policies/$ID/cancel" -H "$AUTH"
curl -X POST "$ROOT/insurer/v1/policies/$ID/cancel" -H "$AUTH"

# lesson: change-cancelled
# What is cancelled stays so: a change is 409.
curl -X PUT "$ROOT/insurer/v1/policies/$ID" -H "$AUTH" -H "$JSON" -d '{"holder":"Dario Esempio"}'
# end

new_plate
# lesson: expired-policy
# A policy for a month, read 40 days later. The token has expired by then, too.
SHORT=$(curl "$ROOT/insurer/v1/policies" -H "$AUTH" -H "$JSON" -d '{"regNumber":"'"$PLATE"'","coverageOption":"MTPL-1M"}')
advance P40D
new_token
curl "$ROOT/insurer/v1/policies/$(member id "$SHORT")" -H "$AUTH"
# end

# Lists.

# lesson: all-pages, pages-while-creating, import-rows
# The address of the next page is in the header Link of each answer, and the last one has none.
next_page() {
  header link | tr ',' '\n' | sed -n 's/.*<\([^>]*\)>; rel="next".*/\1/p'
}

# lesson: all-pages
# 75 policies, so that there is something to walk through.
curl -X POST "$ROOT/range/v1/me/fleet" -H "$AUTH"
NEXT="$ROOT/insurer/v1/policies?page=1&pageSize=25"
while [[ $NEXT ]]; do
  curl "$NEXT" -H "$AUTH"
  NEXT=$(next_page)
done
# end

# With 75 of them three pages of 25 are full.
curl -X POST "$ROOT/range/v1/me/reset" -H "$AUTH"
curl -X POST "$ROOT/range/v1/me/fleet" -H "$AUTH"
new_plate
# lesson: pages-while-creating
# What is created meanwhile comes at the end, here on a page that it opens: the last one is full. Who follows the links
# finds it; who counted the pages at the beginning does not.
NEXT="$ROOT/insurer/v1/policies?page=1&pageSize=25"
while [[ $NEXT ]]; do
  curl "$NEXT" -H "$AUTH"
  PAGE=$NEXT
  NEXT=$(next_page)
  if [[ $PAGE == *page=2* ]]; then
    curl "$ROOT/insurer/v1/policies" -H "$AUTH" -H "$JSON" -d '{"regNumber":"'"$PLATE"'"}'
  fi
done
# end

new_plate
# lesson: find-one
# The list has several pages, and a new policy is on the last one. The service looks for it: one call, however many there
# are.
curl "$ROOT/insurer/v1/policies" -H "$AUTH" -H "$JSON" -d '{"regNumber":"'"$PLATE"'"}'
curl "$ROOT/insurer/v1/policies" -H "$AUTH"
curl "$ROOT/insurer/v1/policies?regNumber=$PLATE" -H "$AUTH"
# end

# Scopes and lifetimes.

new_plate
# lesson: scope-needed, least-scope
# A token of this scope.
token_for() {
  member access_token "$(curl "$ROOT/insurer/v1/auth/token" -u "$CLIENT_ID:$CLIENT_SECRET" \
    -d grant_type=client_credentials -d "scope=$1")"
}

# lesson: scope-needed
# A token that can only read is known (so it is not 401), but can't create (403).
READER=$(token_for policies:read)
curl "$ROOT/insurer/v1/policies" -H "Authorization: Bearer $READER" -H "$JSON" -d '{"regNumber":"'"$PLATE"'"}'

# The refusal names the scope that is missing. The same call succeeds with a token that has it.
NEEDED=$(header www-authenticate | sed 's/.*scope="\([^"]*\)".*/\1/')
WRITER=$(token_for "$NEEDED")
curl "$ROOT/insurer/v1/policies" -H "Authorization: Bearer $WRITER" -H "$JSON" -d '{"regNumber":"'"$PLATE"'"}'

# lesson: scope-refused
# A scope that does not exist: no token at all, rather than one with less.
curl "$ROOT/insurer/v1/auth/token" -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials -d scope=policies:admin

# lesson: token-expired
# After an hour, which the clock of this client skips, the token has expired. The call is made again with a new one.
advance PT61M
curl "$ROOT/insurer/v1/policies" -H "$AUTH"
if [[ $(header www-authenticate) == *'error="invalid_token"'* ]]; then
  new_token
  curl "$ROOT/insurer/v1/policies" -H "$AUTH"
fi

# lesson: unknown-key
# Keys are got again when a token names another kid. Here they are those of this client: nobody else has the drill's.
start_drill rotate-key '{"publishedFor":0}'
new_token
KID=$(member kid "$(decoded 1)")
[[ $(curl "$ROOT/for/$CLIENT_ID/.well-known/jwks.json") == *"\"kid\":\"$KID\""* ]]
curl "$ROOT/insurer/v1/policies" -H "$AUTH"
end_drill rotate-key
# end

if [[ ${CLIENT_CERT:-} ]]; then
  # lesson: mutual-tls
  # A token that holds only with the certificate over whose connection it was asked for.
  presenting() {
    curl --cert "$CLIENT_CERT" --key "$CLIENT_KEY" "$@"
  }
  BOUND=$(presenting "$ROOT/insurer/v1/auth/token" -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials)
  OWNER="Authorization: Bearer $(member access_token "$BOUND")"
  # Whoever has copied the token, but not the key, is refused: 401.
  curl "$ROOT/insurer/v1/policies" -H "$OWNER"
  presenting "$ROOT/insurer/v1/policies" -H "$OWNER"
  # end
fi

# Limits. They wait for a minute: that is how long a call counts. `command curl` is curl itself, which does not wait.

# lesson: retry-after, paced-calls
probe() {
  command curl -sS -o "$FILES/body" -D "$FILES/headers" "$ROOT/for/$CLIENT_ID/insurer/v1/$1"
}

# lesson: paced-calls
# First half of ten calls of the probe, which takes five a minute. Each answer tells how many are left.
for _ in 1 2 3 4 5; do probe limited/ping; done
MORE=$((SECONDS + $(header ratelimit-reset)))
# end

start_drill small-rate-limit '{"limit":1}'
# lesson: retry-after
# Meanwhile another limit: a drill allows me only one call a minute, so the second one is refused.
until [[ $(header retry-after) ]]; do probe coverage-options; done
# Exactly as long as asked for, and the call is accepted.
sleep "$(header retry-after)"
probe coverage-options
# end
end_drill small-rate-limit

# lesson: paced-calls
# The second half: the calls of a minute ago count no more. None of the ten was refused.
if ((MORE >= SECONDS)); then sleep $((MORE - SECONDS + 1)); fi
for made in 6 7 8 9 10; do
  probe limited/ping
  if [[ $made != 10 && $(header ratelimit-remaining) == 0 ]]; then sleep "$(header ratelimit-reset)"; fi
done
# end

# Signatures.

# lesson: signed-body, changed-byte, other-white-space
sign() {
  printf %s "$1" | openssl dgst -sha256 -hmac "$HMAC_SECRET" -r | cut -c1-64
}
check() {
  curl "$ROOT/for/$CLIENT_ID/insurer/v1/signed/policy-check" -H "$JSON" -H "X-Signature: $2" --data-binary "$1"
}

# The signature is of the bytes that are sent.
BODY='{"regNumber":"AB-1234"}'
check "$BODY" "$(sign "$BODY")"

# lesson: changed-byte
# One other character, and the signature does not fit any more.
check '{"regNumber":"AB-1235"}' "$(sign "$BODY")"

# lesson: other-white-space
# The same JSON in other bytes needs a signature of its own.
SPACED='{ "regNumber": "AB-1234" }'
check "$SPACED" "$(sign "$SPACED")"

# lesson: draft-and-version
# What only v1 has, by reading both: of PolicyDraft (what is sent) one member, of Policy (what comes back) two.
curl "$ROOT/insurer/v0/openapi.yaml" > "$FILES/draft.yaml"
curl "$ROOT/insurer/v1/openapi.yaml" > "$FILES/version.yaml"
answer draft-and-version '["startDate", "createdAt", "updatedAt"]'

# lesson: wsdl
# Tools make a client from the WSDL. Here it is only read for the namespace, and the call is written by hand.
NAMESPACE=$(curl "$ROOT/for/$CLIENT_ID/vehicle-registry/v1?wsdl" | sed -n 's/.*targetNamespace="\([^"]*\)".*/\1/p')
NAMESPACE=${NAMESPACE%%$'\n'*}

# lesson: soap-lookup, soap-fault, old-service-ends, one-shape
look_up() {
  curl "$ROOT/for/$CLIENT_ID/vehicle-registry/v1" -H 'Content-Type: text/xml; charset=utf-8' \
    -H "SOAPAction: \"$NAMESPACE/GetVehicleData\"" -d @- << XML
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
<GetVehicleDataRequest xmlns="$NAMESPACE"><RegNumber>$1</RegNumber></GetVehicleDataRequest>
</soap:Body></soap:Envelope>
XML
}

# lesson: soap-lookup
look_up AA-0001

# lesson: soap-fault
# Every fault has the status 500. This one is an answer: there is no such vehicle. So the next one is looked up.
[[ $(look_up XX-0001) == *VehicleNotFoundFault* ]]
look_up AA-0001

# lesson: same-vehicle
# The vehicle that SOAP gave, from the successor.
curl "$ROOT/for/$CLIENT_ID/vehicle-registry/v2/vehicles/AA-0001"

# lesson: no-vin
# One vehicle after the other, until one has no VIN: the member may be missing.
NUMBER=AA-0001
while [[ $(curl "$ROOT/for/$CLIENT_ID/vehicle-registry/v2/vehicles/$NUMBER") == *vin_code* ]]; do
  NUMBER=$(printf 'AA-%04d' $((10#${NUMBER#AA-} + 1)))
done
answer no-vin "\"$NUMBER\""

# lesson: old-service-ends
# The end of v1, for a few minutes: 410 is final, so the same vehicle comes from the successor.
start_drill sunset
[[ $(look_up AA-0001) == *'has ended'* ]]
curl "$ROOT/for/$CLIENT_ID/vehicle-registry/v2/vehicles/AA-0001"
end_drill sunset
# end

# Claims.

new_plate
POLICY=$(curl "$ROOT/insurer/v1/policies" -H "$AUTH" -H "$JSON" -d '{"regNumber":"'"$PLATE"'","holder":"Ada Example"}')
POLICY_ID=$(member id "$POLICY")

# lesson: claim-registered, claim-rejected
# A claim on a policy. It changes once a minute, three times in all.
register_claim() {
  member claimId "$(curl "$ROOT/claims/v1/claims" -H "$AUTH" -H "$JSON" \
    -d '{"policyNumber":"'"$POLICY_ID"'","paceSeconds":60,"outcome":"'"$1"'"}')"
}

# lesson: claim-registered
CLAIM=$(register_claim APPROVED)

# lesson: claim-rejected
# By my own time it is REJECTED after two minutes. Then it has a reason.
REJECTED=$(register_claim REJECTED)
advance PT2M
ANSWER=
until [[ $ANSWER == *'"status":"REJECTED"'* ]]; do ANSWER=$(curl "$ROOT/claims/v1/claims/$REJECTED" -H "$AUTH"); done
answer claim-rejected "\"$(member statusReason "$ANSWER")\""

# lesson: claim-followed
# The events tell every change. I read batch after batch until this claim is closed; `next` is where to go on.
TOPIC="$ROOT/claims/v1/topics/claims.status-changed"
advance PT2M
NEXT=earliest
CHANGES=
until grep -q CLOSED <<< "$CHANGES"; do
  BATCH=$(curl "$TOPIC?after=$NEXT&wait=20" -H "$AUTH")
  NEXT=$(member next "$BATCH")
  CHANGES+=$(tr '{' '\n' <<< "$BATCH" | grep "\"claimId\":\"$CLAIM\"" || true)
done

# lesson: event-without-name
# An event has no names in it. The insurer has them: policyNumber is the id of the policy.
curl "$ROOT/insurer/v1/policies/$(member policyNumber "$CHANGES")" -H "$AUTH"
# end

# Events.

# lesson: long-poll
# A long poll: the claim changes in five seconds, and the answer comes then.
START=$(member next "$(curl "$TOPIC?after=latest" -H "$AUTH")")
curl "$ROOT/claims/v1/claims" -H "$AUTH" -H "$JSON" -d '{"policyNumber":"'"$POLICY_ID"'","paceSeconds":5}'
curl "$TOPIC?after=$START&wait=20" -H "$AUTH"
# end
advance PT5S

# lesson: event-stream
# A stream does not end by itself, so curl hangs up after three seconds.
curl -N -m 3 "$TOPIC" -H 'Accept: text/event-stream' -H "$AUTH" | tee "$FILES/stream" || true

# lesson: events-resumed
# On after the last event of the stream. Meanwhile a claim got on.
LAST_ID=$(sed -n 's/^id: //p' "$FILES/stream" | tail -1)
CLAIM=$(register_claim APPROVED)
advance PT1M
curl "$TOPIC?after=$LAST_ID&wait=20" -H "$AUTH"

# lesson: event-twice
# Each event three times: those with the same eventId are one.
start_drill duplicate-events
curl "$TOPIC?after=$START" -H "$AUTH" > "$FILES/batch"
end_drill duplicate-events
answer event-twice "$(grep -o '"eventId":"[^"]*"' "$FILES/batch" | sort -u | wc -l)"

# lesson: events-in-order
# Two claims at once. In order per claim, and each event only once.
NEXT=$(member next "$(curl "$TOPIC?after=latest" -H "$AUTH")")
ONE=$(register_claim APPROVED)
OTHER=$(register_claim REJECTED)
advance PT4M
: > "$FILES/changes"
until [[ $(sort -u "$FILES/changes" | grep -c CLOSED) == 2 ]]; do
  BATCH=$(curl "$TOPIC?after=$NEXT&wait=20" -H "$AUTH")
  NEXT=$(member next "$BATCH")
  # Up to the new status: what stands after the event may differ where it comes again.
  tr '{' '\n' <<< "$BATCH" | grep -oE "\"($ONE|$OTHER)\".*\"newStatus\":\"[A-Z_]*\"" >> "$FILES/changes" || true
done
states() {
  grep "$1" "$FILES/changes" | awk '!seen[$0]++' | grep -o '"newStatus":"[A-Z_]*"' | sed 's/.*:/, /' | tr -d '\n'
}
answer events-in-order '{"'"$ONE"'": ["REGISTERED"'"$(states "$ONE")"'], "'"$OTHER"'": ["REGISTERED"'"$(states "$OTHER")"']}'

# lesson: newer-events
# A member that is not known is no mistake: what is known is taken, and it goes on after it.
start_drill newer-events
BATCH=$(curl "$TOPIC?after=$START&limit=2" -H "$AUTH")
grep -o '"newStatus":"[A-Z_]*"' <<< "$BATCH"
curl "$TOPIC?after=$(member next "$BATCH")" -H "$AUTH"
end_drill newer-events

# lesson: events-resync
# Eight days later the events are gone, and the token has expired.
advance P8D
new_token
[[ $(curl "$TOPIC?after=$START" -H "$AUTH") == *cursor-expired* ]]
# First the new cursor, then the list to its last page: a change in between comes as an event.
FRESH=$(member next "$(curl "$TOPIC?after=latest" -H "$AUTH")")
NEXT="$ROOT/claims/v1/claims?page=1&pageSize=100"
while [[ $NEXT ]]; do
  curl "$NEXT" -H "$AUTH"
  NEXT=$(next_page)
done
curl "$TOPIC?after=$FRESH" -H "$AUTH"
# end

# Safe repeats.

new_plate
# lesson: retried-create, lost-update
# The same request with the same key twice, as after a timeout: one policy, and the same answer.
POLICY=$(curl "$ROOT/insurer/v1/policies" -H "$AUTH" -H "$JSON" -H "Idempotency-Key: first-$PLATE" -d '{"regNumber":"'"$PLATE"'"}')
TAG=$(header etag)

# lesson: retried-create
curl "$ROOT/insurer/v1/policies" -H "$AUTH" -H "$JSON" -H "Idempotency-Key: first-$PLATE" -d '{"regNumber":"'"$PLATE"'"}'

# lesson: lost-update, not-modified
POLICY_URL="$ROOT/insurer/v1/policies/$(member id "$POLICY")"

# lesson: lost-update
# Somebody changes the policy, so the tag that came with it is old: 412. Read what it is now, and change that.
curl -X PUT "$POLICY_URL" -H "$AUTH" -H "$JSON" -d '{"holder":"Somebody Else"}'
curl -X PUT "$POLICY_URL" -H "$AUTH" -H "$JSON" -H "If-Match: $TAG" -d '{"holder":"Ada Example"}'
curl "$POLICY_URL" -H "$AUTH"
curl -X PUT "$POLICY_URL" -H "$AUTH" -H "$JSON" -H "If-Match: $(header etag)" -d '{"holder":"Ada Example"}'

# lesson: not-modified
# With the tag of the last change, a read sends the policy only if there is something new: 304.
curl "$POLICY_URL" -H "$AUTH" -H "If-None-Match: $(header etag)"
# end

# Jobs in the background.

# lesson: import-job, import-rows
# Imports a file with a policy a line, and waits as long as each answer says, until it is done. JOB is the address.
import_file() {
  curl "$ROOT/insurer/v1/policy-imports" -H "$AUTH" -H 'Content-Type: application/x-ndjson' \
    -H "Idempotency-Key: $PLATE" --data-binary "@$1"
  JOB=$(header location)
  while [[ $(header retry-after) ]]; do
    sleep "$(header retry-after)"
    curl "$JOB" -H "$AUTH"
  done
}

# lesson: import-job
# Two policies in one call. They are done later, and slowly: that is the drill.
start_drill slow-imports '{"groupSeconds":2}'
for _ in 1 2; do
  new_plate
  echo '{"regNumber":"'"$PLATE"'"}'
done > "$FILES/rows"
import_file "$FILES/rows"
curl "$JOB/rows" -H "$AUTH"
end_drill slow-imports

# lesson: import-rows
# 25 rows, of which 4 and 24 have a coverage option that does not exist. These are refused, the others are not.
for row in {1..25}; do
  new_plate
  echo '{"regNumber":"'"$PLATE"'","coverageOption":"MTPL-'$((row % 20 == 4 ? 2 : 3))'M"}'
done > "$FILES/rows"
import_file "$FILES/rows"
NEXT="$JOB/rows?page=1"
REFUSED=
while [[ $NEXT ]]; do
  ROWS=$(curl "$NEXT" -H "$AUTH")
  REFUSED+=$(grep -o '"line":[0-9]*,"status":"refused"' <<< "$ROWS" | sed 's/[^0-9]//g; s/$/p;/' || true)
  NEXT=$(next_page)
done
# Only those again, put right. The others are policies by now.
new_plate
sed -n "$REFUSED" "$FILES/rows" | sed 's/MTPL-2M/MTPL-1M/' > "$FILES/again"
import_file "$FILES/again"
# end

# Keeping two systems the same.

LONG_AGO=2000-01-01T00:00:00Z

# lesson: watermark, known-changes, moved-row, totals-first
# Keeps the policies of a page in FILES/page: in each line the id, the status and updatedAt.
read_page() {
  curl "$ROOT/insurer/v1/policies?$1" -H "$AUTH" | tr '{' '\n' | sed -n \
    's/.*"id":"\([^"]*\)","status":"\([^"]*\)".*"updatedAt":"\([^"]*\)".*/\1 \2 \3/p' > "$FILES/page"
}

# Keeps what changed at an instant or later in FILES/changes, in the order of the changes. After a full page it begins
# again at the last instant, since a policy that changes meanwhile moves to the end, and all behind it move up.
changes_since() {
  local from=$1 page=1 last
  : > "$FILES/changes"
  while true; do
    read_page "updatedSince=$from&page=$page&pageSize=40"
    cat "$FILES/page" >> "$FILES/changes"
    (($(wc -l < "$FILES/page") < 40)) && break
    last=$(newest_in page)
    if [[ $last == "$from" ]]; then page=$((page + 1)); else page=1; fi
    from=$last
  done
}

newest_in() {
  cut -d' ' -f3 "$FILES/$1" | sort | tail -1
}

# lesson: watermark
# By GNU's date, or by that of macOS.
minute_before() {
  date -u -d "$1 1 minute ago" +%Y-%m-%dT%H:%M:%SZ 2> /dev/null ||
    date -u -j -v-1M -f %Y-%m-%dT%H:%M:%S "${1%.*}" +%Y-%m-%dT%H:%M:%SZ
}

# lesson: known-changes, moved-row
# Changes the first policy of such a file that can be changed, as another program would.
change_one() {
  local id
  id=$(awk '$2 == "active" || $2 == "updated" { print $1; exit }' "$FILES/$1")
  curl -X PUT "$ROOT/insurer/v1/policies/$id" -H "$AUTH" -H "$JSON" -d '{"holder":"Grace '"$PLATES"'"}'
}
# end

new_plate
# lesson: watermark
# The last policy of the list has the newest updatedAt. The next run begins a minute before: what was being written
# meanwhile bears an instant before the one at which it could be seen.
changes_since "$LONG_AGO"
WATERMARK=$(newest_in changes)
curl "$ROOT/insurer/v1/policies" -H "$AUTH" -H "$JSON" -d '{"regNumber":"'"$PLATE"'"}'
changes_since "$(minute_before "$WATERMARK")"
# end

new_plate
# lesson: known-changes
# What has the same updatedAt as in the first read is known, and nothing is to be done for it.
changes_since "$LONG_AGO"
sort -u "$FILES/changes" | cut -d' ' -f1,3 > "$FILES/known"
change_one changes
curl "$ROOT/insurer/v1/policies" -H "$AUTH" -H "$JSON" -d '{"regNumber":"'"$PLATE"'"}'
changes_since "$LONG_AGO"
answer known-changes "$(sort -u "$FILES/changes" | cut -d' ' -f1,3 | comm -12 "$FILES/known" - | wc -l)"

# lesson: moved-row
# A policy of the first page changes, and moves to the end. What follows begins at the last instant of that page, not at
# the next page.
read_page "updatedSince=$LONG_AGO&pageSize=40"
LAST_SEEN=$(newest_in page)
change_one page
changes_since "$LAST_SEEN"
# end

new_plate
# lesson: totals-first
curl "$ROOT/insurer/v1/policies" -H "$AUTH" -H "$JSON" -d '{"regNumber":"'"$PLATE"'","coverageOption":"MTPL-1M"}'
: > "$FILES/copy"
PAGE=0
until ((PAGE > 0)) && (($(wc -l < "$FILES/page") < 40)); do
  PAGE=$((PAGE + 1))
  read_page "page=$PAGE&pageSize=40"
  cat "$FILES/page" >> "$FILES/copy"
done
advance P40D
new_token
# Nobody wrote, so this tells of nothing that ended.
changes_since "$(newest_in copy)"
# The totals do.
DIFFERING=
for STATUS in active updated cancelled expired; do
  THERE=$(curl "$ROOT/insurer/v1/policies?status=$STATUS&pageSize=1" -H "$AUTH" | grep -o '"totalItems":[0-9]*')
  HERE=$(grep -c " $STATUS " "$FILES/copy" || true)
  [[ $THERE == "\"totalItems\":$HERE" ]] || DIFFERING+=" $STATUS"
done
# Then the rows of the state that has more than the copy: one that is in force there.
[[ $DIFFERING == *expired* ]]
PAGE=1
ENDED=
until [[ $ENDED ]]; do
  read_page "status=expired&page=$PAGE&pageSize=40"
  ENDED=$(cut -d' ' -f1 "$FILES/page" | grep -Ff - "$FILES/copy" | awk '$2 != "expired" { print $1; exit }')
  PAGE=$((PAGE + 1))
done
curl "$ROOT/insurer/v1/policies/$ENDED" -H "$AUTH"
# end

# Files, money and people's data.

# lesson: file-ended-early, download-resumed, cents-no-floats, decimal-commas, forget-holder
# Asks for what the last call began, as each answer says, until it is completed. PLACE is its address.
wait_for_it() {
  PLACE=$(header location)
  while [[ $(header retry-after) ]]; do
    sleep "$(header retry-after)"
    curl "$PLACE" -H "$AUTH"
  done
}

# lesson: file-ended-early, download-resumed, cents-no-floats, decimal-commas
# A statement of a month in which there were three policies. PLACE is its address.
new_statement() {
  local fleet= option
  for option in MTPL-12M MTPL-12M MTPL-6M; do
    new_plate
    fleet+=${fleet:+,}'{"regNumber":"'"$PLATE"'","startDate":"2025-03-01","coverageOption":"'"$option"'"}'
  done
  curl "$ROOT/range/v1/me/fleet" -H "$AUTH" -H "$JSON" -d '{"policies":['"$fleet"']}'
  curl "$ROOT/insurer/v1/statements" -H "$AUTH" -H "$JSON" -d '{"month":"2025-06","format":"'"${1:-csv}"'","currency":"'"${2:-EUR}"'"}'
  wait_for_it
}

# lesson: file-ended-early, download-resumed
# While the drill is on, fewer bytes come than Content-Length says: curl's error 18.
new_statement
start_drill short-file
curl "$PLACE/content" -H "$AUTH" || [[ $? == 18 ]]
cp "$FILES/body" "$FILES/part"
TAG=$(header etag)
end_drill short-file

# lesson: file-ended-early
# The trailer of the whole file counts its rows. Of the part, the header is no row, and neither is the line that was cut.
curl "$PLACE/content" -H "$AUTH"
COUNT=$(sed -n 's/^TRAILER,\([0-9]*\).*/\1/p' "$FILES/body")
answer file-ended-early $((COUNT - ($(wc -l < "$FILES/part") - 1)))

# lesson: download-resumed
# Bytes count from 0, so the first that is missing has the number of those that came.
curl "$PLACE/content" -H "$AUTH" -H "Range: bytes=$(($(wc -c < "$FILES/part")))-" -H "If-Range: $TAG"
[[ $(header content-range) ]]
cat "$FILES/part" "$FILES/body" > "$FILES/all"
[[ $(header repr-digest) == "sha-256=:$(openssl dgst -sha256 -binary "$FILES/all" | openssl base64):" ]]
CUT=$(($(wc -l < "$FILES/part") + 1))
answer download-resumed "\"$(sed -n "${CUT}p" "$FILES/all" | tr -d '\r')\""

# lesson: cents-no-floats
# Money by whole numbers of the smallest unit. A half goes to the even one of its neighbours.
new_statement csv KWD
curl "$PLACE/content" -H "$AUTH"
FILS=$(awk -F, '/^pol-/ { sub(/[.]/, "", $6); n = int($6 / 10); r = $6 % 10; sum += n + (r > 5 || (r == 5 && n % 2)) }
  END { printf "%d.%03d", sum / 1000, sum % 1000 }' "$FILES/body")
answer cents-no-floats "\"$FILS\""

# lesson: decimal-commas
# Content-Type has the charset. The comma becomes none only once the fields are apart.
new_statement csv-1252
curl "$PLACE/content" -H "$AUTH"
CENTS=$(iconv -f "$(header content-type | sed 's/.*charset=//')" -t UTF-8 "$FILES/body" | awk -F';' '
  /^pol-/ { sub(/,/, "", $6); sub(/,/, "", $7); sum += $6 - $7 }
  END { printf "%d.%02d", sum / 100, sum % 100 }')
answer decimal-commas "\"$CENTS\""

# lesson: forget-holder
HOLDER="Ada $PLATE"
for _ in 1 2; do
  new_plate
  curl "$ROOT/insurer/v1/policies" -H "$AUTH" -H "$JSON" -d '{"regNumber":"'"$PLATE"'","holder":"'"$HOLDER"'"}'
done
curl "$ROOT/insurer/v1/erasures" -H "$AUTH" -H "$JSON" -d '{"holder":"'"$HOLDER"'"}'
wait_for_it
REPORT=$(cat "$FILES/body")
# The log of calls had it, too. Each of touched says what, and how many.
ELSEWHERE=$(grep -o '"what":"[^"]*","count":[0-9]*' <<< "$REPORT" | grep -v '"policies"' | sed 's/.*://' | paste -sd+ -)
# Those that it touched have changed since.
curl "$ROOT/insurer/v1/policies?updatedSince=$(member createdAt "$REPORT")" -H "$AUTH"
if grep -qF "$HOLDER" "$FILES/body"; then fail 'the name is still there'; fi
answer forget-holder $((ELSEWHERE))
# end

# People. They are made up, so this script plays their browser, too.

CALLBACK=http://127.0.0.1/callback
curl -X PUT "$ROOT/range/v1/me/redirect-uris" -H "$AUTH" -H "$JSON" -d '{"redirectUris":["'"$CALLBACK"'"]}'
PERSON=$(curl "$ROOT/range/v1/me/people" -H "$AUTH")

# lesson: let-somebody-in, state-not-yours, verifier-fits, ask-for-less, token-renews-itself, refresh-token-twice, they-changed-their-mind, log-out-for-real
# What the app makes for one request, and keeps in the session of the browser.
new_request() {
  STATE=$(openssl rand -hex 16)
  VERIFIER=$(openssl rand -hex 32)
}

# What the browser does: the person signs in, and allows these scopes of those that are asked for. REDIRECT is where it is
# sent then.
send_there() {
  local challenge page ticket scope allowed=()
  challenge=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | base64 | tr '+/' '-_' | tr -d '=')
  page="$ROOT/insurer/v1/auth/authorize?response_type=code&client_id=$CLIENT_ID&redirect_uri=$CALLBACK&state=$STATE"
  page+="&scope=${1// /%20}&code_challenge=$challenge&code_challenge_method=S256"
  # The form of the page is sent to its own address, so the page need not be read first.
  curl "$page" -d "userName=$(member userName "$PERSON")" -d "password=$(member password "$PERSON")" > "$FILES/page"
  ticket=$(sed -n 's/.*name="ticket" value="\([^"]*\)".*/\1/p' "$FILES/page")
  for scope in $2; do allowed+=(-d "scope=$scope"); done
  curl "$page" -d "ticket=$ticket" -d decision=allow "${allowed[@]}"
  REDIRECT=$(header location)
}

# A parameter of the redirect.
in_redirect() {
  sed -n "s/.*[?&]$1=\([^&]*\).*/\1/p" <<< "$REDIRECT"
}

# A code for tokens. Within a minute, and once.
exchange() {
  curl "$ROOT/insurer/v1/auth/token" -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=authorization_code \
    -d "code=$(in_redirect code)" -d "redirect_uri=$CALLBACK" -d "code_verifier=$1"
}

# The tokens of an answer for the next ones. Once.
refresh() {
  curl "$ROOT/insurer/v1/auth/token" -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=refresh_token \
    -d "refresh_token=$(member refresh_token "$1")"
}

# The whole flow. TOKENS is the answer.
let_in() {
  new_request
  send_there "${1:-policies:read}" "${2:-policies:read}"
  [[ $(in_redirect state) == "$STATE" ]] || fail 'This redirect does not answer our request.'
  TOKENS=$(exchange "$VERIFIER")
}

# Their policies, with the tokens of an answer.
their_policies() {
  curl "$ROOT/insurer/v1/policies" -H "Authorization: Bearer $(member access_token "$1")"
}

# lesson: let-somebody-in
# With the token of a person: their policies, and nothing else.
let_in
their_policies "$TOKENS"

# lesson: state-not-yours
# The redirect has a state that this app never sent. So its code is somebody else's, and is thrown away.
start_drill forged-callback
new_request
send_there policies:read policies:read
[[ $(in_redirect state) != "$STATE" ]]
end_drill forged-callback
# All anew: another state, another verifier, another code.
let_in

# lesson: verifier-fits
# Who found the code does not have the verifier: 400 invalid_grant. The app has it.
new_request
send_there policies:read policies:read
exchange "$(openssl rand -hex 32)"
exchange "$VERIFIER"

# lesson: ask-for-less
# Two scopes are asked for and one is allowed. The answer says which, so no call is made in vain.
let_in 'policies:read claims:read' policies:read
case $(member scope "$TOKENS") in
  *policies:read*) their_policies "$TOKENS" ;;
esac

# lesson: token-renews-itself
# An hour later the token has expired. The refresh token brings the next one, and the next refresh token.
let_in
advance PT61M
if [[ $(their_policies "$TOKENS") == *'"status":401'* ]]; then
  TOKENS=$(refresh "$TOKENS")
  their_policies "$TOKENS"
fi
# end
new_token

# lesson: refresh-token-twice
# The same refresh token once more: 400 invalid_grant, and all that came of the consent has ended with it, the newest
# tokens, too. Only the person can help.
let_in
NEWEST=$(refresh "$TOKENS")
refresh "$TOKENS"
their_policies "$NEWEST"
let_in

# lesson: they-changed-their-mind
# The person withdraws the consent. 401 may mean that the token has expired, so the app refreshes: 400 invalid_grant is
# final, and the person is asked again.
let_in
CONSENT=$(member consentId "$(curl "$ROOT/range/v1/me/consents" -H "$AUTH")")
curl -X DELETE "$ROOT/range/v1/me/consents/$CONSENT" -H "$AUTH"
if [[ $(their_policies "$TOKENS") == *'"status":401'* && $(refresh "$TOKENS") == *'"error":"invalid_grant"'* ]]; then
  let_in
fi

# lesson: log-out-for-real
# The token holds, is revoked, and holds no more: with it ends all that came of the same consent.
let_in
REFRESH=$(member refresh_token "$TOKENS")
if [[ $(curl "$ROOT/insurer/v1/auth/introspect" -u "$CLIENT_ID:$CLIENT_SECRET" -d "token=$REFRESH") == *'"active":true'* ]]; then
  curl "$ROOT/insurer/v1/auth/revoke" -u "$CLIENT_ID:$CLIENT_SECRET" -d "token=$REFRESH"
fi
their_policies "$TOKENS"
# end

# When things break.

# lesson: retry-unavailable
# 503: at least as long as Retry-After says, and each time longer. The third try is the last one that fails.
start_drill unavailable '{"retryAfter":1}'
for pause in 1 1.5 2.25; do
  curl "$ROOT/claims/v1/claims" -H "$AUTH"
  if [[ $pause == 2.25 ]]; then end_drill unavailable; fi
  sleep "$pause"
done
curl "$ROOT/claims/v1/claims" -H "$AUTH"

# lesson: late-answer
# No answer within half a second: hang up, and ask again.
start_drill delay '{"fromMs":20000}'
curl -m 0.5 "$ROOT/claims/v1/claims" -H "$AUTH" || true
end_drill delay
curl "$ROOT/claims/v1/claims" -H "$AUTH"

# lesson: retry-html
# The status and the Content-Type come before the body: this is no JSON.
start_drill html-from-a-proxy
curl "$ROOT/claims/v1/claims" -H "$AUTH"
[[ $(header content-type) == text/html* ]]
end_drill html-from-a-proxy
sleep 1
curl "$ROOT/claims/v1/claims" -H "$AUTH"
# end

new_plate
# lesson: retry-cut
# Was the policy created? With the same Idempotency-Key it is safe to ask for it again.
create() {
  curl "$ROOT/insurer/v1/policies" -H "$AUTH" -H "$JSON" -H "Idempotency-Key: second-$PLATE" -d '{"regNumber":"'"$PLATE"'"}'
}
start_drill cut-connections '{"when":"middle"}'
create || true
end_drill cut-connections
POLICY_ID=$(member id "$(create)")
[[ $(header idempotency-replayed) == true ]]
# end

new_plate
# lesson: unreadable-answer
# The body is broken, but status and Location tell enough.
start_drill bad-json
curl "$ROOT/insurer/v1/policies" -H "$AUTH" -H "$JSON" -d '{"regNumber":"'"$PLATE"'"}'
LOCATION=$(header location)
end_drill bad-json
curl "$LOCATION" -H "$AUTH"

# lesson: stream-cut
# The last id is the way back into a stream that was cut. It may be cut before there is anything to read.
register_claim APPROVED
start_drill cut-streams '{"seconds":1}'
advance PT2M
: > "$FILES/stream"
until grep -q '^id: ' "$FILES/stream"; do
  curl -N "$TOPIC" -H 'Accept: text/event-stream' -H "$AUTH" > "$FILES/stream" || true
done
end_drill cut-streams
advance PT2M
LAST_ID=$(sed -n 's/^id: //p' "$FILES/stream" | tail -1)
# Its id is a cursor for batches, too.
curl "$TOPIC?after=$LAST_ID&wait=20" -H "$AUTH"
# end

# Between systems.

# lesson: one-shape
# A vehicle that the registry knows and nobody has insured: another one until it succeeds.
POLICY=
until [[ $POLICY == *'"endDate"'* ]]; do
  NUMBER=SB-$((RANDOM % 9000 + 1000))
  POLICY=$(curl "$ROOT/insurer/v1/policies" -H "$AUTH" -H "$JSON" -d '{"regNumber":"'"$NUMBER"'"}')
done
XML=$(look_up "$NUMBER")
VEHICLE=$(curl "$ROOT/for/$CLIENT_ID/vehicle-registry/v2/vehicles/$NUMBER")

# A fact that is missing has no element. In the shape it is null.
element() {
  local found
  found=$(sed -n "s/.*<$1>\([^<]*\)<.*/\1/p" <<< "$XML" | sed 's/&amp;/\&/g')
  [[ $found ]] && echo "\"$found\"" || echo null
}
CAPACITY=$(element EngineCapacityCcm)
[[ $(element OwnerType) == *LEGAL* ]] && OWNER=company || OWNER=person
[[ $(member status "$POLICY") =~ ^(active|updated)$ ]] && INSURED=true || INSURED=false
answer one-shape '{"plate":"'"${NUMBER/-/}"'","vin":'"$(element VinCode)"',"make":'"$(element Make)"',
  "model":'"$(element Model)"',"firstRegistered":'"$(element FirstRegDate)"',"engineCc":'"${CAPACITY//\"/}"',
  "fuel":"'"$(member fuel_type "$VEHICLE")"'","ownedBy":"'"$OWNER"'","insured":'"$INSURED"',
  "coverEnds":"'"$(member endDate "$POLICY")"'"}'
# end

new_plate
# lesson: least-scope
# Three programs, each with a token for its job alone.
POLICY_ID=$(member id "$(curl "$ROOT/insurer/v1/policies" -H "Authorization: Bearer $(token_for policies:write)" \
  -H "$JSON" -d '{"regNumber":"'"$PLATE"'"}')")
CLAIM=$(member claimId "$(curl "$ROOT/claims/v1/claims" -H "Authorization: Bearer $(token_for claims:write)" \
  -H "$JSON" -d '{"policyNumber":"'"$POLICY_ID"'"}')")
curl "$ROOT/claims/v1/claims/$CLAIM" -H "Authorization: Bearer $(token_for claims:read)"

# lesson: log-line, test-that-fails
# A new trace id, and a header for one call of it: each has a parent id of its own.
new_trace() {
  TRACE_ID=$(openssl rand -hex 16)
}
traced() {
  echo "traceparent: 00-$TRACE_ID-$(openssl rand -hex 8)-01"
}

# lesson: log-line
# One trace through three systems. The claim is refused: its policyNumber is a registration number.
new_trace
curl "$ROOT/for/$CLIENT_ID/vehicle-registry/v2/vehicles/AB-1234" -H "$(traced)"
curl "$ROOT/insurer/v1/policies" -H "$AUTH" -H "$(traced)"
curl "$ROOT/claims/v1/claims" -H "$AUTH" -H "$JSON" -H "$(traced)" -d '{"policyNumber":"AB-1234"}'

# The complaint: somebody has the trace id, and asks what failed.
FAILED=$(curl "$ROOT/range/v1/me/exchanges?traceId=$TRACE_ID&status=4xx" -H "$AUTH")
STATUS=$(sed 's/.*"status":\([0-9]*\).*/\1/' <<< "$FAILED")
answer log-line '{"traceId":"'"$TRACE_ID"'","requestId":"'"$(member id "$FAILED")"'",
  "method":"'"$(member method "$FAILED")"'","path":"'"$(member url "$FAILED")"'","status":'"$STATUS"'}'

# lesson: which-way
# What each way takes of 60 calls a minute, so that each change of 6,000 claims is seen within 10 seconds. A page has
# 500 claims at the most, and a call waits for 30 seconds at the most. A file each night is not in time.
curl "$ROOT/claims/v1/openapi.yaml" > "$FILES/claims.yaml"
answer which-way '{"each":'$((6000 * 60 / 10))',"list":'$((6000 / 500 * 60 / 10))',"changes":'$((60 / 10))',
  "longPoll":'$((60 / 30))',"refused":["each","list"],"best":"longPoll"}'

# lesson: test-that-fails
# A test. It ends at the first answer that is not what it should be, and calls nothing more.
check_policies() {
  local created id
  new_trace
  new_plate
  created=$(curl "$ROOT/insurer/v1/policies" -H "$AUTH" -H "$JSON" -H "$(traced)" -d '{"regNumber":"'"$PLATE"'"}')
  [[ $created == *'"status":"active"'* ]] || return 1
  id=$(member id "$created")
  [[ $(curl "$ROOT/insurer/v1/policies/$id" -H "$AUTH" -H "$(traced)") == *"$PLATE"* ]]
}

# It has to fail where an answer is broken on purpose, and to pass where none is.
start_drill bad-json
if check_policies; then fail 'The test passed, although no answer could be read.'; fi
end_drill bad-json
check_policies
# end

LESSONS=$(curl "$ROOT/range/v1/me/lessons?pageSize=500" -H "$AUTH" | sed 's/{"id":"/\
&/g' | grep '^{"id":"')
OPEN=$(grep -v '"state":"solved"' <<< "$LESSONS" | grep -v '^{"id":"webhook-' | cut -d'"' -f4 || true)
echo "$(grep -c '"state":"solved"' <<< "$LESSONS") of $(grep -c . <<< "$LESSONS") lessons are solved."
[[ ! $OPEN ]] || fail "Not solved: $OPEN"
