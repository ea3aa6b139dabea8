/** What stays of a lesson once it is solved. */
export interface Learned {
  /** Two short sentences. */
  readonly remember: string;
  /** What goes wrong at work without it, in one or two sentences. */
  readonly without: string;
  /** Of the shortest way, with a token at hand. */
  readonly calls: number;
}

/** By the id of the lesson. */
export const lessonsLearned: Readonly<Record<string, Learned>> = {
  credentials: {
    remember: 'A `client_id` says who you are, and a `client_secret` proves it. Store the secret when you get it.',
    without:
      'The secret lands in a chat or in the source code, and nobody knows later who has it. Or it is lost, and the program stands still until somebody makes a new client.',
    calls: 1,
  },
  'coverage-options': {
    remember: 'Some endpoints need no token. Try one of them first to see whether you reach the service at all.',
    without:
      'You look for a mistake in the token for hours, while a proxy, a wrong address or a certificate is the cause.',
    calls: 1,
  },
  'token-by-json': {
    remember: 'Exchange the id and the secret for a token. Send the token with each call until it expires.',
    without:
      'A program that asks for a new token before each call needs twice as many calls, and runs into the limit of the token endpoint.',
    calls: 1,
  },
  'token-by-form': {
    remember: 'OAuth 2.0 takes the token request as a form. The `Content-Type` is `application/x-www-form-urlencoded`.',
    without: 'You send JSON to a service that reads only forms. It answers 400, and the secret looks wrong.',
    calls: 1,
  },
  'token-by-basic': {
    remember: 'HTTP Basic is the id, a colon and the secret, in Base64. Base64 is no encryption, so use HTTPS.',
    without:
      'A secret in the body is written to logs that hide only the header. And a library that uses Basic by default seems to be broken.',
    calls: 1,
  },
  'token-decoded': {
    remember:
      'A JWT has three parts, and everybody can read the second one. It says who you are, what you may do, and until when.',
    without:
      'You guess why a call is refused: the wrong client, a missing scope, an expired token. One look into the token would tell.',
    calls: 1,
  },
  'token-key': {
    remember: 'The `kid` in the header of a token names the key. Get the keys from `jwks_uri`, and take that one.',
    without:
      'A service that has one key built in refuses all tokens on the day when the key is changed. One that checks no signature takes a token that anybody made.',
    calls: 1,
  },
  'wrong-secret': {
    remember: 'A wrong secret is 401 `invalid-client`. To send it again does not help: somebody must correct it.',
    without: 'A program repeats the request all night with the wrong secret, until the client is locked.',
    calls: 1,
  },
  'no-header': {
    remember: '401 means that the service does not know who calls. `WWW-Authenticate` says what it wants.',
    without:
      'You create new clients and new tokens, but a proxy or a redirect removed the header on the way. The next call fails in the same way.',
    calls: 1,
  },
  'wrong-scheme': {
    remember:
      'The header is `Authorization: Bearer`, a space, and the token. Without the word `Bearer` no token is seen.',
    without: 'A correct token is replaced again and again, and what is missing is one word in the configuration.',
    calls: 1,
  },
  'secret-leaked': {
    remember: 'Two secrets hold for a while. Give the new one to every program first, then let the old one end.',
    without:
      'A secret is in a public repository. It can’t be replaced without an outage, so it stays valid until the weekend.',
    calls: 2,
  },
  'create-policy': {
    remember: '201 says that something was created. Its id is in the answer, and its address in the header `Location`.',
    without:
      'The policy exists, but your system does not know which one it is. Somebody has to look for it by hand, or it is made twice.',
    calls: 1,
  },
  'duplicate-policy': {
    remember:
      '409 says that your request does not fit what is stored. Find out what is there before you do anything else.',
    without:
      'The program treats 409 as a failure and tries again without end. The customer is insured all the time, and gets a letter that says the opposite.',
    calls: 2,
  },
  'read-policy': {
    remember: 'One thing is read by its id, with GET. To read changes nothing, so you can do it as often as you need.',
    without: 'You show a customer what you stored last month, but the policy got another holder yesterday.',
    calls: 2,
  },
  'unknown-policy': {
    remember: '404 is a final answer: there is nothing with this id for you. Do not repeat the call.',
    without:
      'One deleted record stops a whole import, because the program takes 404 for an outage and waits for the service to come back.',
    calls: 1,
  },
  'anothers-policy': {
    remember: 'What belongs to others answers 404, as if it did not exist. Check first which client your token is of.',
    without:
      'You search for data that “disappeared”, but the program ran with the credentials of another customer or of the test system.',
    calls: 1,
  },
  'update-policy': {
    remember: 'A PUT changes what you send. Read again if you need to know what is true now.',
    without: 'Your screen shows what the user typed, not what the insurer stored. The two differ, and nobody sees it.',
    calls: 3,
  },
  'cancel-twice': {
    remember: 'A cancel can be sent twice with the same result. Such a call is idempotent, so a repeat is safe.',
    without: 'After a timeout nobody dares to repeat the cancel. The customer pays on for a car that was sold.',
    calls: 3,
  },
  'change-cancelled': {
    remember: 'Some states are final. Look at the status before you offer a change.',
    without:
      'Users fill in a long form, press Save and get an error, and the support has to explain that it never could work.',
    calls: 3,
  },
  'expired-policy': {
    remember: 'Data can change because time passes, without any call. Compare dates, or read again.',
    without:
      'A system says “insured” from an old copy. The accident is not covered, because the policy ended last week.',
    calls: 3,
  },
  'all-pages': {
    remember: 'A list comes in pages. Follow the link with `rel="next"` until there is none.',
    without:
      'The report has 20 customers, always exactly 20. All others are missing in the bill, and there is no error anywhere.',
    calls: 3,
  },
  'pages-while-creating': {
    remember:
      'A list can grow while you read it. Each answer says whether there is a next page, so look at the last one you got.',
    without:
      'The program counts the pages at the beginning. What was created during the run is missed, a few records each night.',
    calls: 5,
  },
  'find-one': {
    remember: 'Let the service look for a record. With a filter, totals and links are of what was found.',
    without:
      'The program reads all pages to find one customer. With a thousand policies that is fifty calls, and the limit is 60 a minute.',
    calls: 3,
  },
  'scope-needed': {
    remember: '403 means: known, but not allowed. Ask for a token with the scope that the refusal names, and no other.',
    without:
      'To be quick, the program asks for all scopes. Whoever finds its token in a log can now cancel policies, not only read them.',
    calls: 4,
  },
  'scope-refused': {
    remember:
      'An unknown scope is refused with 400, and you get no token. Take the names of the scopes from the description.',
    without:
      'A typing error in a setting stops the program at its start. People change the secret, though the message names the scope.',
    calls: 1,
  },
  'token-expired': {
    remember: 'When a token has expired, get a new one and repeat the same call once. Keep the call until it is done.',
    without:
      'The program works in each short test. At night, after an hour, it fails, and the order that it was sending is lost.',
    calls: 3,
  },
  'unknown-key': {
    remember: 'Keep the keys of a service. Get them again when a token names a `kid` that you do not know.',
    without:
      'The service replaces its key, as it said it would. Your gateway refuses everybody until somebody restarts it.',
    calls: 3,
  },
  'retry-after': {
    remember: '429 means: too many calls. `Retry-After` says how many seconds to wait.',
    without:
      'The program calls on and is refused each time, so its partner blocks it. Or it always waits far too long, and the night is over before the work is done.',
    calls: 3,
  },
  'paced-calls': {
    remember:
      '`RateLimit-Remaining` says how many calls are left, `RateLimit-Reset` when there are more. Wait before you are refused.',
    without: 'A nightly job uses up the limit in a minute. The people at the counter then get 429, too.',
    calls: 10,
  },
  'signed-body': {
    remember: 'Sign the exact bytes of the body, with the shared secret as the key. Send the signature in its header.',
    without: 'Anybody who knows the address can send an order in your name, and nobody can prove that it was not you.',
    calls: 1,
  },
  'changed-byte': {
    remember: 'A signature belongs to one body only. One other character, and it does not fit.',
    without:
      'Somebody on the way changes an account number, and the money goes there. Nobody notices before the customer asks.',
    calls: 2,
  },
  'other-white-space': {
    remember: 'The same JSON can be written in different bytes. Make the text once, sign it, and send that text.',
    without:
      'The library writes the object again before it is sent. Each signature is refused, in one system only, and both sides say that theirs is right.',
    calls: 2,
  },
  'draft-and-version': {
    remember: 'Check which version a description is of. What the running service says counts, not a file in a mail.',
    without: 'A team builds for weeks against an old draft. On the first day of the tests almost no name fits.',
    calls: 2,
  },
  wsdl: {
    remember:
      'The WSDL describes a SOAP service: operations, messages, address. Let a tool read it and make the client.',
    without: 'XML written by hand has the wrong namespace or order, and the fault of the service does not say where.',
    calls: 1,
  },
  'soap-lookup': {
    remember: 'A SOAP call is a POST of an envelope, always to the same address. The body says which operation it is.',
    without: 'The old system is left out of the project. A person types its data into two screens for years.',
    calls: 1,
  },
  'soap-fault': {
    remember:
      'Every SOAP fault has the status 500. Read the fault: it may be a plain answer, such as “no such vehicle”.',
    without:
      'Monitoring calls somebody out of bed because of one wrong registration number, and the queue behind it does not move.',
    calls: 2,
  },
  'same-vehicle': {
    remember:
      'A new version can have other names, forms and values. Compare both with the same question before you change over.',
    without:
      'After the move a diesel car counts as unknown, since the new service spells the fuel in another way. The premiums are wrong.',
    calls: 2,
  },
  'no-vin': {
    remember: 'An optional field can be missing. Decide what your program does then, and try it.',
    without:
      'The import runs for months and breaks at the first old vehicle, at night, with all records after it unread.',
    calls: 1,
  },
  'old-service-ends': {
    remember: '`Deprecation` and `Sunset` say years before when a service ends. 410 says that it has, for good.',
    without:
      'The old service is switched off on a Sunday night. A program that repeats its calls until they succeed does so until Monday, and who knew the date has left.',
    calls: 2,
  },
  'mutual-tls': {
    remember:
      'A token with `cnf` holds only over a connection with its certificate. After a new certificate, get a new token.',
    without:
      'A token stands in the log of a proxy, and somebody reads it there. Until it expires nobody can tell their calls from yours.',
    calls: 3,
  },
  'claim-registered': {
    remember: 'Each system has its own address and description. One token can be valid in several.',
    without:
      'Calls for claims go to the policy system and get 404, and two teams each wait for the other one to repair it.',
    calls: 2,
  },
  'claim-rejected': {
    remember: 'Some fields have a value in some states only. The description says in which.',
    without:
      'The letter to the customer says “rejected because: ” and then nothing, or it gives the reason of another step.',
    calls: 3,
  },
  'claim-followed': {
    remember: 'Events tell each change, and the state tells only the last one. Read on from `next`, and miss none.',
    without:
      'A claim is approved and paid between two calls. A program that only reads the state never sees the approval, and its figures stay wrong.',
    calls: 3,
  },
  'event-without-name': {
    remember: 'An event says what happened, and names things by their ids. Get the rest from the system that owns it.',
    without:
      'Personal data is copied into every queue and log that the event passes. To delete a customer becomes impossible.',
    calls: 4,
  },
  'long-poll': {
    remember: 'With `wait` the service answers when there is news. Give your client a longer timeout than that.',
    without:
      'The program asks each second, and nearly always for nothing. It uses up the limit, and the real work is refused.',
    calls: 3,
  },
  'event-stream': {
    remember: 'A stream is one answer that does not end. Read it line by line, and be ready for its end.',
    without:
      'A library waits for the whole answer before it gives you any. The program hangs, and no event is ever processed.',
    calls: 3,
  },
  'event-twice': {
    remember:
      '“At least once” means: sometimes twice. Keep each `eventId` that you have processed, and skip it the next time.',
    without: 'The same claim is paid two times. It happens seldom, so the tests don’t find it, but the accountants do.',
    calls: 3,
  },
  'events-resumed': {
    remember: 'Store the cursor with your own data. Go on from it after every stop.',
    without: 'After a restart the program begins at the newest event. All that happened during the update is lost.',
    calls: 4,
  },
  'events-in-order': {
    remember: 'The order holds for one claim, not for all. Keep a state for each `claimId`.',
    without:
      'The program compares each event with the one before it, which is of another claim. Customers get news about the claims of others.',
    calls: 4,
  },
  'newer-events': {
    remember: 'A minor version only adds. Read the members that you know, and ignore the rest.',
    without:
      'A strict parser stops at the first event with a new member. Nothing was wrong with it, but all events behind it wait.',
    calls: 4,
  },
  'events-resync': {
    remember: 'Events are not kept for ever. After 410 take a new cursor, read the whole list, then read on.',
    without:
      'After a long stop the consumer fails at each start. Or it begins anew and never learns what changed in between.',
    calls: 8,
  },
  'webhook-called': {
    remember: 'A webhook is a POST from the service to you. Answer 2xx as soon as you have stored it.',
    without:
      'Your program asks all day for news that is rare, and still hears of a decision minutes later than the customer.',
    calls: 2,
  },
  'webhook-verified': {
    remember:
      'Check the signature of each call before you trust it. Compute it of the body as it came, before you parse that.',
    without: 'Somebody posts “claim approved” to your public address, and your system pays.',
    calls: 2,
  },
  'webhook-old': {
    remember: 'A right signature can be old. Refuse what was signed more than five minutes ago.',
    without:
      'A recorded call is sent again a month later, and is believed. The signature is right, so the log shows nothing strange.',
    calls: 2,
  },
  'webhook-two-signatures': {
    remember: 'A call can have several signatures. Take it if one of them is right: then secrets can be replaced.',
    without:
      'The secret leaks, and is replaced on both sides at once. For minutes every call is refused, and nobody dares to do it again.',
    calls: 3,
  },
  'webhook-retried': {
    remember: 'If you can’t store an event, answer 503: it comes again. 2xx means that it is yours now.',
    without:
      'The receiver answers 204 and then writes to a database that is down. The event is gone, and nobody sends it again.',
    calls: 2,
  },
  'webhook-in-time': {
    remember: 'Store the event, answer, and do the work afterwards. The caller waits only some seconds.',
    without:
      'Under load the receiver becomes slow, is called again, and gets slower still. In the end it does all its work twice.',
    calls: 3,
  },
  'webhook-redelivered': {
    remember: 'Deliveries are listed, and each one can be asked for again. Know how before you need it.',
    without:
      'After a mistake in your program an evening of events is missing. People type them in by hand from screens.',
    calls: 3,
  },
  'webhook-repeats': {
    remember: 'The same `webhook-id` means the same event. Take it again with 2xx, but process it once.',
    without:
      'A receiver that refuses what it knows already is called again and again. One that does not look pays twice.',
    calls: 3,
  },
  'webhook-traced': {
    remember: '`traceparent` goes with a call to all that it causes. One trace id finds them in every log.',
    without:
      'Somebody compares times and ids of three systems by hand, and the clocks of two of them differ. The call that was asked for is found on the next day.',
    calls: 3,
  },
  'retried-create': {
    remember: 'Send an `Idempotency-Key` with each create. The same key and the same body give the first answer again.',
    without: 'A timeout and a repeat, and the customer has two orders. Or nobody repeats, and there is none.',
    calls: 2,
  },
  'lost-update': {
    remember:
      'Send the `ETag` that you read as `If-Match`. After 412 read again, and look at what changed before you write.',
    without:
      'Two clerks edit the same policy. The second one saves the old address over the new one, and there is no error.',
    calls: 5,
  },
  'not-modified': {
    remember: 'Send the `ETag` as `If-None-Match`. 304 says that what you have is still right.',
    without: 'Each screen loads everything each minute. The bill for traffic grows, and the service gets slow for all.',
    calls: 2,
  },
  'import-job': {
    remember: '202 means accepted, not done. Ask at the `Location`, and only after the seconds of `Retry-After`.',
    without:
      'The program tells the customer “insured” at the 202, and the row is refused a minute later. Or a hundred programs ask each second, and the job gets slower still.',
    calls: 3,
  },
  'import-rows': {
    remember: 'A completed import can have refused rows. Read all of them, and send only those again, put right.',
    without:
      'Somebody sends the whole file again, and then nobody knows what is there twice. Or only the first page of errors was read, and the rest is never insured.',
    calls: 6,
  },
  'let-somebody-in': {
    remember:
      'The browser brings a code, and the app exchanges it for a token of the person. The password stays at the service.',
    without:
      'The app asks people for their passwords. It can then do all that they can, and nobody can take that back from this app alone.',
    calls: 5,
  },
  'state-not-yours': {
    remember: 'Keep the `state` that you sent with the session. Throw away every redirect that brings another one.',
    without:
      'A link in an e-mail signs your user in to the account of the sender. What the user enters from then on, the sender reads.',
    calls: 7,
  },
  'verifier-fits': {
    remember:
      'Make a new verifier for each request, and send its SHA-256 as the challenge. The verifier itself is sent only with the code.',
    without: 'Another app on the phone is called in place of yours and gets the code. It exchanges it, and is in.',
    calls: 5,
  },
  'ask-for-less': {
    remember: 'Ask for the scopes that you need now. Look in the answer which of them you got.',
    without:
      'The page lists ten permissions, and half of the users leave there. The others untick some, and the app stops with a 403 that nobody expected.',
    calls: 5,
  },
  'token-renews-itself': {
    remember:
      'With the refresh token you get the next access token, without the person. Store the new refresh token of each answer.',
    without:
      'Every hour the users have to sign in again. Or the app keeps using the first refresh token, and is out on the second day.',
    calls: 7,
  },
  'refresh-token-twice': {
    remember: 'A refresh token holds once. Let one worker refresh at a time, and the others wait for what it gets.',
    without:
      'Two workers refresh in the same second. Now and then a customer is signed out, always the most active ones, and nobody can repeat it.',
    calls: 11,
  },
  'they-changed-their-mind': {
    remember: '`invalid_grant` at a refresh is final. Delete the tokens, and ask the person when they are there again.',
    without:
      'A job tries the same dead token every minute for months. Its errors hide the others, and the partner counts them as an attack.',
    calls: 10,
  },
  'log-out-for-real': {
    remember: 'To log out, revoke the token at the service, and then forget it. 200 does not say that there was one.',
    without: 'A user loses a phone and presses “log out everywhere”. The tokens on it hold for another month.',
    calls: 7,
  },
  'retry-unavailable': {
    remember: '503 means: not now. Wait as long as `Retry-After` says, and longer each time.',
    without: 'The service comes back, and a thousand clients call in the same second. It goes down again, for hours.',
    calls: 4,
  },
  'late-answer': {
    remember: 'Set a timeout for every call. A call that you gave up may still have been done.',
    without: 'One slow service holds all your threads. Your own system is down, too, and its log shows no error.',
    calls: 2,
  },
  'retry-html': {
    remember: 'Look at the status and the `Content-Type` first. Parse only what says that it is JSON.',
    without: 'The log says “unexpected token <”. People look for a mistake in the JSON, and it was the proxy.',
    calls: 2,
  },
  'retry-cut': {
    remember:
      'After a cut connection you don’t know what was done. Repeat with the same `Idempotency-Key`, and you will know.',
    without:
      'The program sends the create again as a new one. Now there are two contracts, or a 409 that looks like a failure.',
    calls: 2,
  },
  'unreadable-answer': {
    remember:
      'The status says whether it was done, even if the body is broken. `Location` says where the new thing is.',
    without:
      'The program takes a broken body for a failure and creates again. The customer gets two policies and two bills.',
    calls: 2,
  },
  'stream-cut': {
    remember: 'Every stream breaks some day. Connect again with the last id that you got as `Last-Event-ID`.',
    without:
      'A router is restarted at night, and the consumer never comes back. In the morning a night of events is missing.',
    calls: 4,
  },
};
