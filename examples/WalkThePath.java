import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.AlgorithmParameters;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * Solves every lesson of L-Plate, one topic after the other. It needs a running L-Plate and Java 17 or newer:
 *
 *   HMAC_SECRET=… java examples/WalkThePath.java
 *
 * L-Plate prints the HMAC_SECRET when it starts. Where it asks for client certificates, CLIENT_CERT and CLIENT_KEY name the
 * files of yours, in PEM; the key is one for elliptic curves. For the lessons about webhooks it must be able to call this machine, as it
 * does where both run on the same one. In a program of your own a library reads the JSON.
 */
class WalkThePath {
  static final String ROOT = Optional.ofNullable(System.getenv("LPLATE_URL")).orElse("http://localhost:8080");
  static final String POLICIES = "/insurer/v1/policies", CLAIMS = "/claims/v1/claims", NEW_TOKEN = "/insurer/v1/auth/token";
  static final String TOPIC = "/claims/v1/topics/claims.status-changed";
  static final String FORM = "application/x-www-form-urlencoded";

  static final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  static String clientId;
  static String clientSecret;
  static String token;

  public static void main(String[] args) throws Exception {
    credentials();
    policies();
    lists();
    access();
    limits();
    signatures();
    descriptions();
    registry();
    claims();
    events();
    webhooks();
    repeats();
    jobs();
    sync();
    files();
    people();
    faults();
    betweenSystems();
    var lessons = call("GET", "/range/v1/me/lessons?pageSize=500", null).body().split("(?=\\{\"id\":\")");
    var all = Arrays.stream(lessons).filter(lesson -> lesson.startsWith("{\"id\":")).toList();
    var open = all.stream().filter(lesson -> !lesson.contains("\"state\":\"solved\"")).toList();
    for (var lesson : open) System.out.println("Not solved: " + member(lesson, "id") + ". " + member(lesson, "goal"));
    System.out.println(all.size() - open.size() + " of " + all.size() + " lessons are solved.");
    System.exit(open.isEmpty() ? 0 : 1);
  }

  /** One call; the headers are names and values in turn. When it has used up a limit, it waits until there are more. */
  static HttpResponse<String> send(String method, String path, String body, String... headers) throws Exception {
    return send(http, method, path, body, headers);
  }

  static HttpResponse<String> send(HttpClient by, String method, String path, String body, String... headers) throws Exception {
    var answer = by.send(request(method, path, body, headers).build(), BodyHandlers.ofString());
    waitAtLimit(answer);
    return answer;
  }

  /** When an answer has used up a limit, waits until there are more. */
  static void waitAtLimit(HttpResponse<?> answer) throws InterruptedException {
    if (answer.headers().firstValueAsLong("RateLimit-Remaining").orElse(1) == 0) pause(seconds(answer, "RateLimit-Reset"));
  }

  static HttpRequest.Builder request(String method, String path, String body, String... headers) {
    var content = body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body);
    var request = HttpRequest.newBuilder(URI.create(ROOT + path)).timeout(Duration.ofSeconds(30)).method(method, content);
    return headers.length == 0 ? request : request.headers(headers);
  }

  /** With the token, and with JSON if there is any. */
  static HttpResponse<String> call(String method, String path, String json, String... headers) throws Exception {
    var all = new ArrayList<>(List.of(headers));
    if (!all.contains("Authorization")) all.addAll(List.of("Authorization", "Bearer " + token));
    if (json != null) all.addAll(List.of("Content-Type", "application/json"));
    return send(method, path, json, all.toArray(String[]::new));
  }

  /** Without a token: the prefix says whose call it is. */
  static HttpResponse<String> bare(String method, String path, String body, String... headers) throws Exception {
    return send(method, "/for/" + clientId + path, body, headers);
  }

  static String newToken(String more) throws Exception {
    var form = "grant_type=client_credentials&client_id=" + clientId + "&client_secret=" + clientSecret + more;
    return member(send("POST", NEW_TOKEN, form, "Content-Type", FORM).body(), "access_token");
  }

  /** Answers the question of a lesson. The answer is JSON. */
  static void answer(String lesson, String json) throws Exception {
    var sent = "{\"lesson\":\"%s\",\"answer\":%s}".formatted(lesson, json);
    var result = call("POST", "/range/v1/me/answers", sent).body();
    check(result.contains("\"correct\":true"), lesson + ": " + result);
  }

  /** Moves the clock of this client ahead: PT61M. A token may have expired by then. */
  static void advance(String duration) throws Exception {
    call("POST", "/range/v1/me/clock", "{\"advance\":\"%s\"}".formatted(duration));
  }

  static void startDrill(String name, String parameters) throws Exception {
    var body = "{\"name\":\"%s\",\"parameters\":%s,\"minutes\":5}".formatted(name, parameters);
    call("POST", "/range/v1/me/drills", body);
  }

  static void endDrill(String name) throws Exception {
    call("DELETE", "/range/v1/me/drills/" + name, null);
  }

  /** The members of this name that are texts. */
  static List<String> members(String json, String name) {
    return Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json).results().map(found -> found.group(1)).toList();
  }

  /** The first one. */
  static String member(String json, String name) {
    return members(json, name).stream().findFirst().orElseThrow(() -> new IllegalStateException("No " + name + ": " + json));
  }

  static String header(HttpResponse<?> answer, String name) {
    return answer.headers().firstValue(name).orElse("");
  }

  static long seconds(HttpResponse<?> answer, String name) {
    return answer.headers().firstValueAsLong(name).orElse(0);
  }

  static void pause(double seconds) throws InterruptedException {
    Thread.sleep((long) (1000 * seconds));
  }

  static void check(boolean isSo, String otherwise) {
    if (!isSo) throw new IllegalStateException(otherwise);
  }

  /** The body of a create, for a registration number that nobody else has. */
  static String newVehicle() {
    return "{\"regNumber\":\"JA-%s\"}".formatted(UUID.randomUUID().toString().substring(0, 8).toUpperCase());
  }

  static byte[] hmac(byte[] key, String text) throws Exception {
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
  }

  static void credentials() throws Exception {
    // lesson: credentials
    var client = send("POST", "/insurer/v1/demo-clients", null).body();
    clientId = member(client, "client_id");
    clientSecret = member(client, "client_secret");

    // lesson: coverage-options
    // What is open to all needs no token. The prefix /for/CLIENT_ID says whose call it is.
    bare("GET", "/insurer/v1/coverage-options", null);

    // lesson: token-by-json
    // The client is {"client_id":…,"client_secret":…}, as it came.
    var granted = send("POST", NEW_TOKEN, client, "Content-Type", "application/json").body();
    token = member(granted, "access_token");

    // lesson: token-by-form
    // The same as a form, as OAuth libraries send it.
    var form = "grant_type=client_credentials&client_id=" + clientId + "&client_secret=" + clientSecret;
    send("POST", NEW_TOKEN, form, "Content-Type", "application/x-www-form-urlencoded");

    // lesson: token-by-basic
    // The id and the secret as HTTP Basic has them, and only the grant type in the form.
    var pair = (clientId + ":" + clientSecret).getBytes(StandardCharsets.UTF_8);
    var basic = "Basic " + Base64.getEncoder().encodeToString(pair);
    var byBasic = send("POST", NEW_TOKEN, "grant_type=client_credentials", "Content-Type", FORM, "Authorization", basic);
    token = member(byBasic.body(), "access_token");

    // lesson: token-decoded, token-key
    // A token is three parts in base64url: header, claims, signature.
    var parts = token.split("\\.");
    var decoder = Base64.getUrlDecoder();

    // lesson: token-decoded
    var claims = new String(decoder.decode(parts[1]), StandardCharsets.UTF_8);
    answer("token-decoded", "\"" + member(claims, "sub") + "\"");

    // lesson: token-key
    // The key with the same kid checks the signature. It is a point of the curve P-256.
    var kid = member(new String(decoder.decode(parts[0]), StandardCharsets.UTF_8), "kid");
    var keys = send("GET", "/.well-known/jwks.json", null).body();
    var key = Arrays.stream(keys.split("}")).filter(each -> each.contains(kid)).findFirst().orElseThrow();
    var parameters = AlgorithmParameters.getInstance("EC");
    parameters.init(new ECGenParameterSpec("secp256r1"));
    var x = new BigInteger(1, decoder.decode(member(key, "x")));
    var y = new BigInteger(1, decoder.decode(member(key, "y")));
    var spec = new ECPublicKeySpec(new ECPoint(x, y), parameters.getParameterSpec(ECParameterSpec.class));
    var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
    signature.initVerify(KeyFactory.getInstance("EC").generatePublic(spec));
    signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.UTF_8));
    check(signature.verify(decoder.decode(parts[2])), "the token was not signed with this key");
    answer("token-key", "\"" + kid + "\"");

    // lesson: wrong-secret
    var wrong = "{\"client_id\":\"%s\",\"client_secret\":\"wrong\"}".formatted(clientId);
    bare("POST", NEW_TOKEN, wrong, "Content-Type", "application/json");

    // lesson: no-header
    // No header at all. WWW-Authenticate of the answer says what is wanted.
    bare("GET", POLICIES, null);

    // lesson: wrong-scheme
    // The right token, but not behind the word Bearer.
    bare("GET", POLICIES, null, "Authorization", "Token " + token);

    // lesson: secret-leaked
    // The new secret first, for every program. The one before ends by itself, a day later.
    clientSecret = member(call("POST", "/range/v1/me/secret", null).body(), "client_secret");
    token = newToken("");
    advance("P1D");
    token = newToken("");
    // end
  }

  static void policies() throws Exception {
    // lesson: create-policy, duplicate-policy, read-policy
    var vehicle = newVehicle();
    var policy = call("POST", POLICIES, vehicle).body();

    // lesson: read-policy, update-policy, cancel-twice, change-cancelled
    var path = POLICIES + "/" + member(policy, "id");

    // lesson: read-policy
    call("GET", path, null);

    // lesson: duplicate-policy
    // The same vehicle once more: 409.
    var refused = call("POST", POLICIES, vehicle);
    check(refused.statusCode() == 409, refused.body());

    // lesson: unknown-policy
    // Nobody has a policy with this id: 404.
    call("GET", POLICIES + "/pol-1", null);

    // lesson: anothers-policy
    // Somebody else's policy, here that of a second client: the same 404.
    var other = send("POST", "/insurer/v1/demo-clients", null).body();
    var granted = send("POST", NEW_TOKEN, other, "Content-Type", "application/json").body();
    var theirToken = "Bearer " + member(granted, "access_token");
    var theirs = call("POST", POLICIES, newVehicle(), "Authorization", theirToken).body();
    call("GET", POLICIES + "/" + member(theirs, "id"), null);

    // lesson: update-policy
    // Once changed, its status is “updated”.
    call("PUT", path, "{\"holder\":\"Ada Example\"}");
    call("GET", path, null);

    // lesson: cancel-twice
    // To cancel it again is fine, and changes nothing.
    call("POST", path + "/cancel", null);
    call("POST", path + "/cancel", null);

    // lesson: change-cancelled
    // What is cancelled stays so: a change is 409.
    call("PUT", path, "{\"holder\":\"Dario Esempio\"}");

    // lesson: expired-policy
    // A policy for a month, read 40 days later. The token has expired by then, too.
    var monthly = newVehicle().replace("}", ",\"coverageOption\":\"MTPL-1M\"}");
    var shortOne = call("POST", POLICIES, monthly).body();
    advance("P40D");
    token = newToken("");
    call("GET", POLICIES + "/" + member(shortOne, "id"), null);
    // end
  }

  static void lists() throws Exception {
    // lesson: all-pages
    // 75 policies, so that there is something to walk through. The last page has no next one.
    call("POST", "/range/v1/me/fleet", null);
    for (var path = POLICIES + "?page=1&pageSize=25"; path != null; ) path = nextPage(call("GET", path, null));
    // end

    // With 75 of them three pages of 25 are full.
    call("POST", "/range/v1/me/reset", null);
    call("POST", "/range/v1/me/fleet", null);

    // lesson: pages-while-creating
    // What is created meanwhile comes at the end, here on a page that it opens: the last one is full. Who follows the links
    // finds it; who counted the pages at the beginning does not.
    for (var path = POLICIES + "?page=1&pageSize=25"; path != null; ) {
      var page = call("GET", path, null);
      if (path.contains("page=2&")) call("POST", POLICIES, newVehicle());
      path = nextPage(page);
    }

    // lesson: find-one
    // The list has several pages, and a new policy is on the last one. The service looks for it: one call, however many
    // there are.
    var created = call("POST", POLICIES, newVehicle()).body();
    call("GET", POLICIES, null);
    call("GET", POLICIES + "?regNumber=" + member(created, "regNumber"), null);
    // end
  }

  // lesson: all-pages, pages-while-creating, import-rows, totals-first
  /** The path of the next page, as the header Link has it; null on the last one. */
  static String nextPage(HttpResponse<?> page) {
    var next = Pattern.compile("<([^>]*)>; rel=\"next\"").matcher(header(page, "Link"));
    return next.find() ? next.group(1).replace(ROOT, "") : null;
  }
  // end

  static void access() throws Exception {
    // lesson: scope-needed
    // A token that can only read is known (so it is not 401), but can't create (403).
    var vehicle = newVehicle();
    var reader = "Bearer " + newToken("&scope=policies:read");
    var refused = call("POST", POLICIES, vehicle, "Authorization", reader);

    // The refusal names the scope that is missing. The same call succeeds with a token that has it.
    var needed = header(refused, "WWW-Authenticate").replaceAll(".*scope=\"([^\"]+)\".*", "$1");
    var writer = "Bearer " + newToken("&scope=" + needed);
    call("POST", POLICIES, vehicle, "Authorization", writer);

    // lesson: scope-refused
    // A scope that does not exist: no token at all, rather than one with less.
    var form = "grant_type=client_credentials&client_id=" + clientId + "&client_secret=" + clientSecret;
    bare("POST", NEW_TOKEN, form + "&scope=policies:admin", "Content-Type", FORM);

    // lesson: token-expired
    // After an hour, which the clock of this client skips, the token has expired. The call is made again with a new one.
    advance("PT61M");
    var late = call("GET", POLICIES, null);
    if (late.statusCode() == 401 && header(late, "WWW-Authenticate").contains("error=\"invalid_token\"")) {
      token = newToken("");
      call("GET", POLICIES, null);
    }

    // lesson: unknown-key
    // Keys are got again when a token names another kid. Here they are those of this client: nobody else has the drill's.
    startDrill("rotate-key", "{\"publishedFor\":0}");
    token = newToken("");
    var header = new String(Base64.getUrlDecoder().decode(token.split("\\.")[0]), StandardCharsets.UTF_8);
    var keys = bare("GET", "/.well-known/jwks.json", null).body();
    check(members(keys, "kid").contains(member(header, "kid")), "there is no key of this kid");
    call("GET", POLICIES, null);
    endDrill("rotate-key");
    // end

    if (System.getenv("CLIENT_CERT") != null) boundToken();
  }

  // lesson: mutual-tls
  /** A token that holds only with the certificate over whose connection it was asked for. */
  static void boundToken() throws Exception {
    var presenting = withCertificate(Path.of(System.getenv("CLIENT_CERT")), Path.of(System.getenv("CLIENT_KEY")));
    var form = "grant_type=client_credentials&client_id=" + clientId + "&client_secret=" + clientSecret;
    var bound = send(presenting, "POST", NEW_TOKEN, form, "Content-Type", FORM).body();
    var owner = "Bearer " + member(bound, "access_token");
    // Whoever has copied the token, but not the key, is refused: 401.
    send("GET", POLICIES, null, "Authorization", owner);
    send(presenting, "GET", POLICIES, null, "Authorization", owner);
  }

  /** A client whose connections present a certificate. */
  static HttpClient withCertificate(Path certificate, Path key) throws Exception {
    var pem = Files.readString(key).replaceAll("-+[A-Z ]+-+|\\s", "");
    var secret = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem)));
    var store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    try (var file = Files.newInputStream(certificate)) {
      var own = CertificateFactory.getInstance("X.509").generateCertificate(file);
      store.setKeyEntry("own", secret, new char[0], new Certificate[] {own});
    }
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, new char[0]);
    var context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).sslContext(context).build();
  }
  // end

  /** They wait for a minute: that is how long a call counts. */
  static void limits() throws Exception {
    // lesson: paced-calls
    // First half of ten calls of the probe, which takes five a minute. Each answer tells how many are left.
    HttpResponse<?> paced = null;
    for (var made = 0; made < 5; made++) paced = probe("/limited/ping");
    var more = Instant.now().plusSeconds(seconds(paced, "RateLimit-Reset"));

    // lesson: retry-after
    // Meanwhile another limit: a drill allows me only one call a minute, so the second one is refused.
    startDrill("small-rate-limit", "{\"limit\":1}");
    var refused = probe("/coverage-options");
    while (refused.statusCode() != 429) refused = probe("/coverage-options");
    // Exactly as long as asked for, and the call is accepted.
    pause(seconds(refused, "Retry-After"));
    probe("/coverage-options");
    endDrill("small-rate-limit");

    // lesson: paced-calls
    // The second half: the calls of a minute ago count no more. None of the ten was refused.
    pause(Math.max(0, Duration.between(Instant.now(), more).toMillis() / 1000.0));
    for (var made = 0; made < 5; made++) {
      paced = probe("/limited/ping");
      if (made < 4 && seconds(paced, "RateLimit-Remaining") == 0) pause(seconds(paced, "RateLimit-Reset"));
    }
    // end
  }

  // lesson: retry-after, paced-calls
  static HttpResponse<String> probe(String path) throws Exception {
    var request = request("GET", "/for/" + clientId + "/insurer/v1" + path, null).build();
    return http.send(request, BodyHandlers.ofString());
  }
  // end

  static void signatures() throws Exception {
    // lesson: signed-body, changed-byte, other-white-space
    // The signature is of the bytes that are sent.
    var body = "{\"regNumber\":\"AB-1234\"}";
    checkSigned(body, sign(body));

    // lesson: changed-byte
    // One other character, and the signature does not fit any more.
    checkSigned("{\"regNumber\":\"AB-1235\"}", sign(body));

    // lesson: other-white-space
    // The same JSON in other bytes needs a signature of its own.
    var spaced = "{ \"regNumber\": \"AB-1234\" }";
    checkSigned(spaced, sign(spaced));
    // end
  }

  // lesson: signed-body, changed-byte, other-white-space
  static String sign(String body) throws Exception {
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(System.getenv("HMAC_SECRET").getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    return HexFormat.of().formatHex(mac.doFinal(body.getBytes(StandardCharsets.UTF_8)));
  }

  static void checkSigned(String body, String signature) throws Exception {
    var path = "/insurer/v1/signed/policy-check";
    bare("POST", path, body, "Content-Type", "application/json", "X-Signature", signature);
  }
  // end

  static void descriptions() throws Exception {
    // lesson: draft-and-version
    // What only v1 has, by reading both: of PolicyDraft (what is sent) one member, of Policy (what comes back) two.
    call("GET", "/insurer/v0/openapi.yaml", null);
    call("GET", "/insurer/v1/openapi.yaml", null);
    answer("draft-and-version", "[\"startDate\", \"createdAt\", \"updatedAt\"]");
    // end
  }

  static String namespace;

  /** It asks nobody who calls, so the prefix says whose calls these are. */
  static void registry() throws Exception {
    // lesson: wsdl
    // Tools make a client from the WSDL. Here it is only read for the namespace, and the call is written by hand.
    var wsdl = bare("GET", "/vehicle-registry/v1?wsdl", null).body();
    var found = Pattern.compile("targetNamespace=\"([^\"]+)\"").matcher(wsdl);
    check(found.find(), wsdl);
    namespace = found.group(1);

    // lesson: soap-lookup
    lookUp("AA-0001");

    // lesson: soap-fault
    // Every fault has the status 500. This one is an answer: there is no such vehicle. So the next one is looked up.
    for (var number : List.of("XX-0001", "AA-0001")) {
      var answer = lookUp(number);
      check(answer.statusCode() == 200 || answer.body().contains("VehicleNotFoundFault"), answer.body());
    }

    // lesson: same-vehicle
    // The vehicle that SOAP gave, from the successor.
    bare("GET", "/vehicle-registry/v2/vehicles/AA-0001", null);

    // lesson: no-vin
    // One vehicle after the other, until one has no VIN: the member may be missing.
    var number = "AA-0001";
    for (var at = 2; bare("GET", "/vehicle-registry/v2/vehicles/" + number, null).body().contains("vin_code"); at++) {
      number = "AA-%04d".formatted(at);
    }
    answer("no-vin", "\"" + number + "\"");

    // lesson: old-service-ends
    // The end of v1, for a few minutes: 410 is final, so the same vehicle comes from the successor.
    startDrill("sunset", "{}");
    var ended = lookUp("AA-0001");
    check(ended.statusCode() == 410, ended.body());
    bare("GET", "/vehicle-registry/v2/vehicles/AA-0001", null);
    endDrill("sunset");
    // end
  }

  // lesson: soap-lookup, soap-fault, old-service-ends, one-shape
  static HttpResponse<String> lookUp(String number) throws Exception {
    var envelope = """
        <soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
        <GetVehicleDataRequest xmlns="%s"><RegNumber>%s</RegNumber></GetVehicleDataRequest>
        </soap:Body></soap:Envelope>""".formatted(namespace, number);
    var action = "\"" + namespace + "/GetVehicleData\"";
    return bare("POST", "/vehicle-registry/v1", envelope, "Content-Type", "text/xml; charset=utf-8", "SOAPAction", action);
  }
  // end

  static String policyId;

  // lesson: claim-registered
  /** A claim on a policy. It changes every so many seconds, three times in all. */
  static String registerClaim(String outcome, int paceSeconds) throws Exception {
    var json = "{\"policyNumber\":\"%s\",\"outcome\":\"%s\",\"paceSeconds\":%d}".formatted(policyId, outcome, paceSeconds);
    return member(call("POST", CLAIMS, json).body(), "claimId");
  }
  // end

  /** The events in a batch or a message, each as JSON. */
  static List<String> eventsIn(String json) {
    return Arrays.stream(json.split("(?=\\{\"eventId\":)")).filter(each -> each.startsWith("{\"eventId\":")).toList();
  }

  /** Reads batches after a cursor until an event fits. Returns that one. */
  static String readUntil(String after, Predicate<String> fits) throws Exception {
    while (true) {
      // It waits for events, so this is no busy loop.
      var batch = call("GET", TOPIC + "?after=" + after + "&wait=20", null).body();
      var found = eventsIn(batch).stream().filter(fits).findFirst();
      if (found.isPresent()) return found.get();
      after = member(batch, "next");
    }
  }

  static void claims() throws Exception {
    policyId = member(call("POST", POLICIES, newVehicle().replace("}", ",\"holder\":\"Ada Example\"}")).body(), "id");

    // lesson: claim-rejected
    // A claim changes once a minute, of my own time: after two minutes this one is REJECTED, and has a reason. I wait for
    // its event, and read it then.
    var rejected = registerClaim("REJECTED", 60);
    advance("PT2M");
    readUntil("earliest", event -> event.contains(rejected) && event.contains("\"newStatus\":\"REJECTED\""));
    var claim = call("GET", CLAIMS + "/" + rejected, null).body();
    answer("claim-rejected", "\"" + member(claim, "statusReason") + "\"");

    // lesson: claim-followed
    // The events tell every change: I read batch after batch until this claim is closed.
    var followed = registerClaim("APPROVED", 60);
    advance("PT4M");
    var closed = readUntil("earliest", event -> event.contains(followed) && event.contains("\"newStatus\":\"CLOSED\""));

    // lesson: event-without-name
    // An event has no names in it. The insurer has them: policyNumber is the id of the policy.
    call("GET", POLICIES + "/" + member(closed, "policyNumber"), null);
    // end
  }

  /** What a stream brought, and the id of its last event: the way back into it. */
  record Streamed(List<String> events, String lastId) {}

  // lesson: event-stream
  /** Reads the topic as a stream until it has brought so many events, or was cut. */
  static Streamed readStream(int count, String after) throws Exception {
    var request = request("GET", TOPIC, null, "Accept", "text/event-stream", "Authorization", "Bearer " + token);
    if (after != null) request.header("Last-Event-ID", after);
    var events = new ArrayList<String>();
    var lastId = after;
    try (var lines = http.send(request.build(), BodyHandlers.ofLines()).body()) {
      for (var line = lines.iterator(); line.hasNext(); ) {
        var text = line.next();
        if (text.startsWith("id: ")) lastId = text.substring(4);
        if (text.startsWith("data: ")) events.add(text.substring(6));
        // An empty line ends a message.
        if (text.isEmpty() && events.size() >= count) break;
      }
    } catch (UncheckedIOException cut) {
      // What came before counts.
    }
    return new Streamed(events, lastId);
  }
  // end

  static void events() throws Exception {
    // lesson: long-poll
    // A long poll: the claim changes in two seconds, and the answer comes then.
    var start = member(call("GET", TOPIC + "?after=latest", null).body(), "next");
    registerClaim("APPROVED", 2);
    call("GET", TOPIC + "?after=" + start + "&wait=20", null);

    // lesson: events-resumed
    // A stream, and on after its last event when it has ended. Meanwhile the claim gets on.
    advance("PT2S");
    var first = readStream(2, start);
    advance("PT2S");
    var second = readStream(1, first.lastId());

    // lesson: event-twice
    // Each event three times: those with the same eventId are one.
    startDrill("duplicate-events", "{}");
    var tripled = call("GET", TOPIC + "?after=" + start, null).body();
    endDrill("duplicate-events");
    answer("event-twice", "" + Set.copyOf(members(tripled, "eventId")).size());

    // lesson: events-in-order
    // Two claims at once. In order per claim, and each event only once.
    var states = new LinkedHashMap<String, List<String>>();
    states.put(registerClaim("APPROVED", 60), new ArrayList<>(List.of("REGISTERED")));
    states.put(registerClaim("REJECTED", 60), new ArrayList<>(List.of("REGISTERED")));
    advance("PT4M");
    var processed = new HashSet<String>();
    var cursor = second.lastId();
    while (!states.values().stream().allMatch(each -> each.contains("CLOSED"))) {
      var batch = call("GET", TOPIC + "?after=" + cursor + "&wait=20", null).body();
      cursor = member(batch, "next");
      for (var event : eventsIn(batch)) {
        var mine = states.get(member(event, "claimId"));
        if (mine != null && processed.add(member(event, "eventId"))) mine.add(member(event, "newStatus"));
      }
    }
    var told = new ArrayList<String>();
    states.forEach((claim, each) -> told.add("\"" + claim + "\":[\"" + String.join("\",\"", each) + "\"]"));
    answer("events-in-order", "{" + String.join(",", told) + "}");

    // lesson: newer-events
    // A member that I don't know is no mistake: I take what I know, and go on after it.
    startDrill("newer-events", "{}");
    var newer = call("GET", TOPIC + "?after=" + start + "&limit=2", null).body();
    for (var event : eventsIn(newer)) System.out.println(member(event, "claimId") + " is " + member(event, "newStatus"));
    call("GET", TOPIC + "?after=" + member(newer, "next"), null);
    endDrill("newer-events");

    // lesson: events-resync
    // Eight days later the events are gone, and the token has expired.
    advance("P8D");
    token = newToken("");
    var late = call("GET", TOPIC + "?after=" + start, null);
    check(late.statusCode() == 410, late.body());
    // First the new cursor, then the list to its last page: a change in between comes as an event.
    var fresh = member(call("GET", TOPIC + "?after=latest", null).body(), "next");
    for (var path = CLAIMS + "?page=1&pageSize=100"; path != null; ) path = nextPage(call("GET", path, null));
    call("GET", TOPIC + "?after=" + fresh, null);
    // end
  }

  static String secret;
  static IntSupplier work = () -> 204;
  static final Set<String> processed = ConcurrentHashMap.newKeySet();
  static final BlockingQueue<Map.Entry<String, Integer>> calls = new LinkedBlockingQueue<>();

  // lesson: webhook-called, webhook-repeats
  /** The receiver refuses what is not signed, and otherwise answers with the status that the work gives. */
  static void receive(HttpExchange exchange) throws IOException {
    var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    var id = exchange.getRequestHeaders().getFirst("webhook-id");
    // What was processed comes again at times. It is taken, and no work any more.
    var status = !isGenuine(exchange.getRequestHeaders(), body) ? 401 : processed.contains(id) ? 204 : work.getAsInt();
    if (status == 204) processed.add(id);
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
    calls.add(Map.entry(id, status));
  }

  // lesson: webhook-verified, webhook-old
  /** Whether a call was signed with the secret, in the last five minutes, as Standard Webhooks has it. */
  static boolean isGenuine(Headers headers, String body) {
    var timestamp = headers.getFirst("webhook-timestamp");
    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) > 300) return false;
    try {
      var key = Base64.getDecoder().decode(secret.replace("whsec_", ""));
      var signed = headers.getFirst("webhook-id") + "." + timestamp + "." + body;
      var expected = "v1," + Base64.getEncoder().encodeToString(hmac(key, signed));
      return Arrays.stream(headers.getFirst("webhook-signature").split(" "))
          .anyMatch(each -> MessageDigest.isEqual(each.getBytes(), expected.getBytes()));
    } catch (Exception broken) {
      return false;
    }
  }
  // end

  /** Waits until a call of this event, or of any, was answered so. */
  static void answered(String event, int status) throws Exception {
    while (true) {
      var got = calls.poll(60, TimeUnit.SECONDS);
      check(got != null, "no call came");
      if (got.getValue() == status && (event == null || event.equals(got.getKey()))) return;
    }
  }

  static String subscription;

  // lesson: webhook-called
  /** From now on events are posted to the receiver, which begins to count anew. */
  static void subscribe(HttpServer server) throws Exception {
    var url = "http://127.0.0.1:" + server.getAddress().getPort() + "/claims";
    var made = call("POST", "/claims/v1/subscriptions", "{\"url\":\"%s\"}".formatted(url)).body();
    // The secret is shown only now, and signs each call.
    secret = member(made, "secret");
    processed.clear();
    subscription = "/claims/v1/subscriptions/" + member(made, "id");
  }

  static String sendTest() throws Exception {
    return member(call("POST", subscription + "/test", null).body(), "eventId");
  }
  // end

  /** Waits until the subscription shows this of its last delivery. */
  static void shows(String text) throws Exception {
    while (!call("GET", subscription, null).body().replaceFirst(".*\"lastDelivery\":", "").contains(text)) pause(0.2);
  }

  static void webhooks() throws Exception {
    // lesson: webhook-called
    // The receiver takes a test event.
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/claims", WalkThePath::receive);
    server.setExecutor(Executors.newCachedThreadPool());
    server.start();
    subscribe(server);
    var first = sendTest();
    answered(first, 204);

    // lesson: webhook-redelivered
    // To ask for an event again, by the number of its delivery, once that is done.
    shows("\"status\":\"delivered\"");
    call("POST", subscription + "/deliveries/1/redeliver", null);
    answered(first, 204);

    // lesson: webhook-verified
    // A receiver that verifies takes the real event, and refuses the forged one that follows it.
    for (var how : List.of("wrong-secret", "changed-body")) {
      startDrill("forged-webhooks", "{\"how\":\"%s\"}".formatted(how));
      answered(sendTest(), 204);
      answered(null, 401);
    }

    // lesson: webhook-old
    // The signature of this one is right, but it was made too long ago.
    startDrill("forged-webhooks", "{\"how\":\"old-timestamp\"}");
    answered(sendTest(), 204);
    answered(null, 401);
    endDrill("forged-webhooks");

    // lesson: webhook-two-signatures
    // A new secret: calls are signed with both, so the receiver takes them with the old one until it has the new one.
    var renewed = call("POST", subscription + "/secret", null).body();
    answered(sendTest(), 204);
    secret = member(renewed, "secret");
    answered(sendTest(), 204);

    // lesson: webhook-retried
    // What fails is tried again after 5 seconds. Once that is planned, the clock can be moved in place of waiting.
    work = () -> 503;
    var failing = sendTest();
    answered(failing, 503);
    work = () -> 204;
    shows("\"responseStatus\":503");
    advance("PT5S");
    answered(failing, 204);

    // lesson: webhook-in-time
    // Too slow: it works before it answers. Then in time.
    work = () -> {
      try {
        pause(5.5);
      } catch (InterruptedException ended) {
        return 503;
      }
      return 204;
    };
    answered(sendTest(), 204);
    work = () -> 204;
    answered(sendTest(), 204);
    // end
    call("DELETE", subscription, null);

    // lesson: webhook-repeats
    // What comes again is taken, but counts once. A new subscription begins to count anew.
    subscribe(server);
    startDrill("repeat-webhooks", "{}");
    for (var count = 1; count <= 3; count++) {
      var event = sendTest();
      answered(event, 204);
      answered(event, 204);
    }
    endDrill("repeat-webhooks");
    answer("webhook-repeats", "" + processed.size());

    // lesson: webhook-traced
    // The trace of my call goes on to the webhooks of its claim, and the log is searched by it.
    var traceId = UUID.randomUUID().toString().replace("-", "");
    var policy = member(call("POST", POLICIES, newVehicle()).body(), "id");
    var claim = "{\"policyNumber\":\"%s\",\"paceSeconds\":1}".formatted(policy);
    call("POST", CLAIMS, claim, "traceparent", "00-" + traceId + "-" + traceId.substring(16) + "-01");
    var search = "/range/v1/me/exchanges?kind=delivery&status=2xx&traceId=" + traceId;
    var found = call("GET", search, null).body();
    for (; !found.contains("\"id\""); found = call("GET", search, null).body()) pause(1);
    var delivery = call("GET", "/range/v1/me/exchanges/" + member(found, "id"), null).body();
    var handedOn = Pattern.compile("00-" + traceId + "-(\\w{16})").matcher(delivery);
    check(handedOn.find(), delivery);
    answer("webhook-traced", "\"" + handedOn.group(1) + "\"");
    // end
    call("DELETE", subscription, null);
    server.stop(0);
  }

  static void repeats() throws Exception {
    // lesson: retried-create, lost-update
    // The same request with the same key twice, as after a timeout: one policy, and the same answer.
    var key = UUID.randomUUID().toString();
    var vehicle = newVehicle();
    var created = call("POST", POLICIES, vehicle, "Idempotency-Key", key);

    // lesson: retried-create
    call("POST", POLICIES, vehicle, "Idempotency-Key", key);

    // lesson: lost-update, not-modified
    var path = POLICIES + "/" + member(created.body(), "id");

    // lesson: lost-update
    // Somebody changes the policy, so the tag that came with it is old: 412. Read what it is now, and change that.
    call("PUT", path, "{\"holder\":\"Somebody Else\"}");
    call("PUT", path, "{\"holder\":\"Ada Example\"}", "If-Match", header(created, "ETag"));
    var now = call("GET", path, null);
    var changed = call("PUT", path, "{\"holder\":\"Ada Example\"}", "If-Match", header(now, "ETag"));

    // lesson: not-modified
    // With the tag of the last change, a read sends the policy only if there is something new: 304.
    call("GET", path, null, "If-None-Match", header(changed, "ETag"));
    // end
  }

  // lesson: import-job, import-rows
  /** Imports policies, one a line, and waits as long as each answer says. Returns the path of the import when it is done. */
  static String importPolicies(List<String> lines) throws Exception {
    var headers = new String[] {
      "Authorization", "Bearer " + token, "Content-Type", "application/x-ndjson", "Idempotency-Key", "" + UUID.randomUUID()
    };
    var answer = send("POST", "/insurer/v1/policy-imports", String.join("\n", lines), headers);
    var path = header(answer, "Location").replace(ROOT, "");
    while (!member(answer.body(), "status").equals("completed")) {
      pause(seconds(answer, "Retry-After"));
      answer = call("GET", path, null);
    }
    return path;
  }
  // end

  static void jobs() throws Exception {
    // lesson: import-job
    // Two policies in one call. They are done later, and slowly: that is the drill.
    startDrill("slow-imports", "{\"groupSeconds\":2}");
    call("GET", importPolicies(List.of(newVehicle(), newVehicle())) + "/rows", null);
    endDrill("slow-imports");

    // lesson: import-rows
    // 25 rows, of which 4 and 24 have a coverage option that does not exist. These are refused, the others are not.
    var lines = new ArrayList<String>();
    for (var line = 1; line <= 25; line++) {
      var option = line % 20 == 4 ? "MTPL-2M" : "MTPL-3M";
      lines.add(newVehicle().replace("}", ",\"coverageOption\":\"" + option + "\"}"));
    }
    var again = new ArrayList<String>();
    for (var path = importPolicies(lines) + "/rows?page=1"; path != null; ) {
      var page = call("GET", path, null);
      var refused = Pattern.compile("\"line\":(\\d+),\"status\":\"refused\"").matcher(page.body()).results();
      // Only those again, put right. The others are policies by now.
      refused.forEach(row -> again.add(lines.get(Integer.parseInt(row.group(1)) - 1).replace("MTPL-2M", "MTPL-1M")));
      path = nextPage(page);
    }
    importPolicies(again);
    // end
  }

  static final String LONG_AGO = "2000-01-01T00:00:00Z";

  // lesson: watermark, known-changes, moved-row, totals-first
  /** A policy of a list. */
  record Row(String id, String status, String updatedAt) {
    boolean isInForce() {
      return status.equals("active") || status.equals("updated");
    }
  }

  static List<Row> rowsOf(HttpResponse<String> page) {
    var row = Pattern.compile("\"id\":\"([^\"]*)\",\"status\":\"([^\"]*)\".*?\"updatedAt\":\"([^\"]*)\"");
    return row.matcher(page.body()).results().map(found -> new Row(found.group(1), found.group(2), found.group(3))).toList();
  }

  static String lastInstant(List<Row> rows) {
    return rows.get(rows.size() - 1).updatedAt();
  }

  /**
   * What changed at an instant or later, in the order of the changes. After a full page it begins again at the last instant,
   * since a policy that changes meanwhile moves to the end, and all behind it move up.
   */
  static List<Row> changesSince(String instant) throws Exception {
    var found = new LinkedHashMap<String, Row>();
    var from = instant;
    for (var page = 1; ; ) {
      var query = "?updatedSince=%s&page=%d&pageSize=40".formatted(from, page);
      var rows = rowsOf(call("GET", POLICIES + query, null));
      // The last change of each counts, and comes last.
      for (var row : rows) found.remove(row.id());
      for (var row : rows) found.put(row.id(), row);
      if (rows.size() < 40) return List.copyOf(found.values());
      var last = lastInstant(rows);
      page = last.equals(from) ? page + 1 : 1;
      from = last;
    }
  }

  // lesson: known-changes, moved-row
  /** Changes the first of these policies that can be changed, as another program would. */
  static void changeOne(List<Row> rows) throws Exception {
    var one = rows.stream().filter(Row::isInForce).findFirst().orElseThrow();
    call("PUT", POLICIES + "/" + one.id(), "{\"holder\":\"Grace %s\"}".formatted(UUID.randomUUID()));
  }

  // lesson: totals-first
  /** The policies of a list, page by page. */
  static List<Row> policiesWith(String filter) throws Exception {
    var all = new ArrayList<Row>();
    for (var path = POLICIES + "?page=1&pageSize=40" + filter; path != null; ) {
      var page = call("GET", path, null);
      all.addAll(rowsOf(page));
      path = nextPage(page);
    }
    return all;
  }
  // end

  static void sync() throws Exception {
    // lesson: watermark
    // The last policy of the list has the newest updatedAt. The next run begins a minute before: what was being written
    // meanwhile bears an instant before the one at which it could be seen.
    var watermark = Instant.parse(lastInstant(changesSince(LONG_AGO)));
    call("POST", POLICIES, newVehicle());
    changesSince(watermark.minusSeconds(60).toString());

    // lesson: known-changes
    // What has the same updatedAt as in the first read is known, and nothing is to be done for it.
    var first = changesSince(LONG_AGO);
    var known = first.stream().collect(Collectors.toMap(Row::id, Row::updatedAt));
    changeOne(first);
    call("POST", POLICIES, newVehicle());
    var again = changesSince(LONG_AGO);
    answer("known-changes", "" + again.stream().filter(row -> row.updatedAt().equals(known.get(row.id()))).count());

    // lesson: moved-row
    // A policy of the first page changes, and moves to the end. What follows begins at the last instant of that page, not
    // at the next page.
    var page = rowsOf(call("GET", POLICIES + "?updatedSince=" + LONG_AGO + "&pageSize=40", null));
    changeOne(page);
    changesSince(lastInstant(page));

    // lesson: totals-first
    call("POST", POLICIES, newVehicle().replace("}", ",\"coverageOption\":\"MTPL-1M\"}"));
    var copy = policiesWith("");
    advance("P40D");
    token = newToken("");
    // Nobody wrote, so this tells of nothing that ended.
    changesSince(copy.stream().map(Row::updatedAt).max(String::compareTo).orElseThrow());
    // The totals do.
    var differing = new ArrayList<String>();
    for (var status : List.of("active", "updated", "cancelled", "expired")) {
      var there = call("GET", POLICIES + "?pageSize=1&status=" + status, null).body();
      var here = copy.stream().filter(row -> row.status().equals(status)).count();
      if (!there.contains("\"totalItems\":" + here + ",")) differing.add(status);
    }
    // Then the rows of the state that has more than the copy: one that is in force there.
    check(differing.contains("expired"), "no policy has expired");
    var inForce = copy.stream().filter(Row::isInForce).map(Row::id).toList();
    var ended = policiesWith("&status=expired").stream().filter(row -> inForce.contains(row.id())).findFirst().orElseThrow();
    call("GET", POLICIES + "/" + ended.id(), null);
    // end
  }

  // lesson: file-ended-early, download-resumed, cents-no-floats, decimal-commas, forget-holder
  /** Asks for what was accepted, as each answer says, until it is completed. */
  static String done(HttpResponse<String> accepted) throws Exception {
    var path = header(accepted, "Location").replace(ROOT, "");
    var answer = accepted;
    while (!member(answer.body(), "status").equals("completed")) {
      pause(seconds(answer, "Retry-After"));
      answer = call("GET", path, null);
    }
    return answer.body();
  }

  // lesson: file-ended-early, download-resumed, cents-no-floats, decimal-commas
  /** The path of a statement, completed, of a month in which there were three policies. */
  static String newStatement(String format, String currency) throws Exception {
    var fleet = new ArrayList<String>();
    for (var option : List.of("MTPL-12M", "MTPL-12M", "MTPL-6M")) {
      var more = ",\"startDate\":\"2025-03-01\",\"coverageOption\":\"" + option + "\"}";
      fleet.add(newVehicle().replace("}", more));
    }
    call("POST", "/range/v1/me/fleet", "{\"policies\":" + fleet + "}");
    var draft = "{\"month\":\"2025-06\",\"format\":\"%s\",\"currency\":\"%s\"}".formatted(format, currency);
    return "/insurer/v1/statements/" + member(done(call("POST", "/insurer/v1/statements", draft)), "id");
  }

  /** Fetches a file, and writes it to a stream as far as it comes. */
  static HttpResponse<?> fetchFile(String path, ByteArrayOutputStream to, String... headers) throws Exception {
    var request = request("GET", path, null, "Authorization", "Bearer " + token);
    if (headers.length > 0) request.headers(headers);
    var answer = http.send(request.build(), BodyHandlers.ofInputStream());
    try (var body = answer.body()) {
      body.transferTo(to);
    } catch (IOException early) {
      // The connection was closed before the end.
    }
    waitAtLimit(answer);
    return answer;
  }

  /** Its lines; the last one is empty where the text ends with a line. */
  static List<String> lines(ByteArrayOutputStream file) {
    return List.of(file.toString(StandardCharsets.UTF_8).split("\r\n", -1));
  }
  // end

  static void files() throws Exception {
    // lesson: file-ended-early, download-resumed
    // While the drill is on, fewer bytes come than Content-Length says.
    var file = newStatement("csv", "EUR") + "/content";
    startDrill("short-file", "{}");
    var all = new ByteArrayOutputStream();
    var part = fetchFile(file, all);
    check(all.size() < seconds(part, "Content-Length"), "the file is whole");
    // What stands behind the last whole line was cut.
    var cut = lines(all).size() - 1;
    endDrill("short-file");

    // lesson: file-ended-early
    // The trailer of the whole file counts its rows. Of the part, the header is no row.
    var whole = new ByteArrayOutputStream();
    fetchFile(file, whole);
    var trailer = lines(whole).get(lines(whole).size() - 2).split(",");
    answer("file-ended-early", "" + (Integer.parseInt(trailer[1]) - (cut - 1)));

    // lesson: download-resumed
    // Bytes count from 0, so the first that is missing has the number of those that came.
    var rest = fetchFile(file, all, "Range", "bytes=" + all.size() + "-", "If-Range", header(part, "ETag"));
    check(rest.statusCode() == 206, "it is another file");
    var digest = Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(all.toByteArray()));
    check(header(rest, "Repr-Digest").equals("sha-256=:" + digest + ":"), "the parts do not fit");
    answer("download-resumed", "\"" + lines(all).get(cut) + "\"");

    // lesson: cents-no-floats
    // Money as a decimal, rounded row by row. A half goes to the even one of its neighbours.
    var inKwd = new ByteArrayOutputStream();
    fetchFile(newStatement("csv", "KWD") + "/content", inKwd);
    var share = BigDecimal.ZERO;
    for (var line : lines(inKwd)) {
      if (!line.startsWith("pol-")) continue;
      share = share.add(new BigDecimal(line.split(",")[5]).movePointLeft(1).setScale(3, RoundingMode.HALF_EVEN));
    }
    answer("cents-no-floats", "\"" + share.toPlainString() + "\"");

    // lesson: decimal-commas
    // Content-Type has the charset. The comma becomes a point only once the fields are apart.
    var old = new ByteArrayOutputStream();
    var got = fetchFile(newStatement("csv-1252", "EUR") + "/content", old);
    var charset = Charset.forName(header(got, "Content-Type").replaceAll(".*charset=", ""));
    var left = BigDecimal.ZERO;
    for (var line : old.toString(charset).split("\r\n")) {
      if (!line.startsWith("pol-")) continue;
      var fields = line.split(";");
      var commission = new BigDecimal(fields[6].replace(',', '.'));
      left = left.add(new BigDecimal(fields[5].replace(',', '.'))).subtract(commission);
    }
    answer("decimal-commas", "\"" + left.toPlainString() + "\"");

    // lesson: forget-holder
    var holder = "Ada " + UUID.randomUUID();
    for (var made = 0; made < 2; made++)
      call("POST", POLICIES, newVehicle().replace("}", ",\"holder\":\"" + holder + "\"}"));
    var report = done(call("POST", "/insurer/v1/erasures", "{\"holder\":\"" + holder + "\"}"));
    // Those that it touched have changed since.
    var changed = call("GET", POLICIES + "?updatedSince=" + member(report, "createdAt"), null);
    check(!changed.body().contains(holder), "the name is still there");
    // The log of calls had it, too.
    var touched = Pattern.compile("\"what\":\"([^\"]*)\",\"count\":(\\d+)").matcher(report).results();
    var elsewhere = touched.filter(each -> !each.group(1).equals("policies")).mapToInt(each -> Integer.parseInt(each.group(2)));
    answer("forget-holder", "" + elsewhere.sum());
    // end
  }

  static final String CALLBACK = "http://127.0.0.1/callback";
  static String person;

  /** They are made up, so this program plays their browser, too. */
  static void people() throws Exception {
    call("PUT", "/range/v1/me/redirect-uris", "{\"redirectUris\":[\"%s\"]}".formatted(CALLBACK));
    person = call("GET", "/range/v1/me/people", null).body();

    // lesson: let-somebody-in
    // With the token of a person: their policies, and nothing else.
    theirPolicies(letIn());

    // lesson: state-not-yours
    // The redirect has a state that this app never sent. So its code is somebody else's, and is thrown away.
    startDrill("forged-callback", "{}");
    var own = Request.make();
    var forged = sendThere(own, "policies:read", "policies:read");
    check(!inRedirect(forged, "state").equals(own.state()), "it is not forged");
    endDrill("forged-callback");
    // All anew: another state, another verifier, another code.
    letIn();

    // lesson: verifier-fits
    // Who found the code does not have the verifier: 400 invalid_grant. The app has it.
    var request = Request.make();
    var redirect = sendThere(request, "policies:read", "policies:read");
    exchange(redirect, Request.make());
    exchange(redirect, request);

    // lesson: ask-for-less
    // Two scopes are asked for and one is allowed. The answer says which, so no call is made in vain.
    var less = letIn("policies:read claims:read", "policies:read");
    if (member(less, "scope").contains("policies:read")) theirPolicies(less);

    // lesson: token-renews-itself
    // An hour later the token has expired. The refresh token brings the next one, and the next refresh token.
    var renewed = letIn();
    advance("PT61M");
    if (theirPolicies(renewed).statusCode() == 401) {
      renewed = refresh(renewed);
      theirPolicies(renewed);
    }
    // end
    token = newToken("");

    // lesson: refresh-token-twice
    // The same refresh token once more: 400 invalid_grant, and all that came of the consent has ended with it, the newest
    // tokens, too. Only the person can help.
    var first = letIn();
    var second = refresh(first);
    refresh(first);
    theirPolicies(second);
    letIn();

    // lesson: they-changed-their-mind
    // The person withdraws the consent. 401 may mean that the token has expired, so the app refreshes: 400 invalid_grant is
    // final, and the person is asked again.
    var withdrawn = letIn();
    var consents = call("GET", "/range/v1/me/consents", null).body();
    call("DELETE", "/range/v1/me/consents/" + member(consents, "consentId"), null);
    if (theirPolicies(withdrawn).statusCode() == 401 && refresh(withdrawn).contains("\"invalid_grant\"")) letIn();

    // lesson: log-out-for-real
    // The token holds, is revoked, and holds no more: with it ends all that came of the same consent.
    var session = letIn();
    var about = "&token=" + member(session, "refresh_token");
    if (withCredentials("/insurer/v1/auth/introspect", about).contains("\"active\":true")) {
      withCredentials("/insurer/v1/auth/revoke", about);
    }
    theirPolicies(session);
    // end
  }

  // lesson: let-somebody-in, state-not-yours, verifier-fits, ask-for-less, token-renews-itself, refresh-token-twice, they-changed-their-mind, log-out-for-real
  /** What the app makes for one request, and keeps in the session of the browser. */
  record Request(String state, String verifier) {
    static Request make() {
      return new Request(UUID.randomUUID().toString(), UUID.randomUUID() + "-" + UUID.randomUUID());
    }
  }

  /** What the browser does: the person signs in, and allows these scopes. Returns the address to which it is sent then. */
  static String sendThere(Request request, String scope, String allowed) throws Exception {
    var digest = MessageDigest.getInstance("SHA-256").digest(request.verifier().getBytes(StandardCharsets.US_ASCII));
    var page = "/insurer/v1/auth/authorize?response_type=code&client_id=" + clientId + "&redirect_uri=" + CALLBACK
      + "&state=" + request.state() + "&scope=" + scope.replace(" ", "%20") + "&code_challenge_method=S256"
      + "&code_challenge=" + Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
    // The form of the page is sent to its own address, so the page need not be read first.
    var credentials = "userName=" + member(person, "userName") + "&password=" + member(person, "password");
    var signedIn = send("POST", page, credentials, "Content-Type", FORM).body();
    var ticket = signedIn.split("name=\"ticket\" value=\"", 2)[1].split("\"", 2)[0];
    var decision = "decision=allow&ticket=" + ticket + "&scope=" + allowed.replace(" ", "&scope=");
    return header(send("POST", page, decision, "Content-Type", FORM), "Location");
  }

  /** A parameter of the redirect. */
  static String inRedirect(String redirect, String name) {
    return redirect.split("[?&]" + name + "=", 2)[1].split("&", 2)[0];
  }

  static String withCredentials(String path, String more) throws Exception {
    var form = "client_id=" + clientId + "&client_secret=" + clientSecret + more;
    return send("POST", path, form, "Content-Type", FORM).body();
  }

  /** A code for tokens. Within a minute, and once. */
  static String exchange(String redirect, Request request) throws Exception {
    var code = "&code=" + inRedirect(redirect, "code") + "&redirect_uri=" + CALLBACK + "&code_verifier=" + request.verifier();
    return withCredentials(NEW_TOKEN, "&grant_type=authorization_code" + code);
  }

  /** A refresh token for the next tokens. Once. */
  static String refresh(String tokens) throws Exception {
    return withCredentials(NEW_TOKEN, "&grant_type=refresh_token&refresh_token=" + member(tokens, "refresh_token"));
  }

  static String letIn() throws Exception {
    return letIn("policies:read", "policies:read");
  }

  /** The whole flow. Returns the tokens. */
  static String letIn(String scope, String allowed) throws Exception {
    var request = Request.make();
    var redirect = sendThere(request, scope, allowed);
    check(inRedirect(redirect, "state").equals(request.state()), "this redirect does not answer our request");
    return exchange(redirect, request);
  }

  static HttpResponse<String> theirPolicies(String tokens) throws Exception {
    return send("GET", POLICIES, null, "Authorization", "Bearer " + member(tokens, "access_token"));
  }
  // end

  static void faults() throws Exception {
    // lesson: retry-unavailable
    // 503: at least as long as Retry-After says, and each time longer. The third try is the last one that fails.
    startDrill("unavailable", "{\"retryAfter\":1}");
    for (var attempt = 0; attempt < 3; attempt++) {
      var refused = call("GET", CLAIMS, null);
      if (attempt == 2) endDrill("unavailable");
      pause(seconds(refused, "Retry-After") * Math.pow(1.5, attempt));
    }
    call("GET", CLAIMS, null);

    // lesson: late-answer
    // No answer within half a second: hang up, and ask again.
    startDrill("delay", "{\"fromMs\":20000}");
    var impatient = request("GET", CLAIMS, null, "Authorization", "Bearer " + token).timeout(Duration.ofMillis(500));
    try {
      http.send(impatient.build(), BodyHandlers.ofString());
    } catch (HttpTimeoutException late) {
      endDrill("delay");
      call("GET", CLAIMS, null);
    }

    // lesson: retry-html
    // The status and the Content-Type come before the body: this is no JSON.
    startDrill("html-from-a-proxy", "{}");
    var page = call("GET", CLAIMS, null);
    check(page.statusCode() == 502 && header(page, "Content-Type").startsWith("text/html"), page.body());
    endDrill("html-from-a-proxy");
    pause(1);
    call("GET", CLAIMS, null);

    // lesson: retry-cut
    // Was the policy created? With the same Idempotency-Key it is safe to ask for it again.
    var key = UUID.randomUUID().toString();
    var vehicle = newVehicle();
    startDrill("cut-connections", "{\"when\":\"middle\"}");
    try {
      call("POST", POLICIES, vehicle, "Idempotency-Key", key);
    } catch (IOException cut) {
      endDrill("cut-connections");
      var repeated = call("POST", POLICIES, vehicle, "Idempotency-Key", key);
      check(header(repeated, "Idempotency-Replayed").equals("true"), "it was created by the second try");
    }

    // lesson: unreadable-answer
    // The body is broken, but status and Location tell enough.
    startDrill("bad-json", "{}");
    var broken = call("POST", POLICIES, newVehicle());
    check(broken.statusCode() == 201, broken.body());
    endDrill("bad-json");
    call("GET", header(broken, "Location").replace(ROOT, ""), null);

    // lesson: stream-cut
    // The last id is the way back into a stream that was cut. It may be cut before there is anything to read.
    registerClaim("APPROVED", 60);
    startDrill("cut-streams", "{\"seconds\":1}");
    advance("PT2M");
    var first = readStream(100, null);
    while (first.events().isEmpty()) first = readStream(100, null);
    endDrill("cut-streams");
    advance("PT2M");
    // Its id is a cursor for batches, too.
    readUntil(first.lastId(), event -> true);
    // end
  }

  static void betweenSystems() throws Exception {
    // lesson: one-shape
    // A vehicle that the registry knows and nobody has insured: another one until it succeeds.
    var number = "";
    var created = (HttpResponse<String>) null;
    while (created == null || created.statusCode() == 409) {
      number = "JB-" + (1000 + (int) (Math.random() * 9000));
      created = call("POST", POLICIES, "{\"regNumber\":\"%s\"}".formatted(number));
    }
    var policy = created.body();
    var xml = lookUp(number).body();
    var vehicle = bare("GET", "/vehicle-registry/v2/vehicles/" + number, null).body();

    // A fact that is missing has no element and no member. In the shape it is null.
    var capacity = found(vehicle, "\"engine_capacity_ccm\":(\\d+)");
    var shape = new LinkedHashMap<String, String>();
    shape.put("plate", quoted(Optional.of(number.replace("-", ""))));
    shape.put("vin", quoted(found(vehicle, "\"vin_code\":\"([^\"]*)\"")));
    shape.put("make", quoted(Optional.of(member(vehicle, "make"))));
    shape.put("model", quoted(Optional.of(member(vehicle, "model"))));
    shape.put("firstRegistered", quoted(Optional.of(member(vehicle, "first_reg_date"))));
    shape.put("engineCc", capacity.orElse("null"));
    shape.put("fuel", quoted(Optional.of(member(vehicle, "fuel_type"))));
    shape.put("ownedBy", member(vehicle, "owner_type").equals("LEGAL_PERSON") ? "\"company\"" : "\"person\"");
    shape.put("insured", String.valueOf(List.of("active", "updated").contains(member(policy, "status"))));
    shape.put("coverEnds", quoted(Optional.of(member(policy, "endDate"))));

    // The same by SOAP: all is text there, and the fuel is in capitals.
    check(found(xml, "<VinCode>([^<]*)<").equals(found(vehicle, "\"vin_code\":\"([^\"]*)\"")), xml);
    check(found(xml, "<EngineCapacityCcm>([^<]*)<").equals(capacity), xml);
    check(found(xml, "<FuelType>([^<]*)<").map(String::toLowerCase).equals(Optional.of(member(vehicle, "fuel_type"))), xml);
    var members = shape.entrySet().stream().map(each -> "\"%s\":%s".formatted(each.getKey(), each.getValue())).toList();
    answer("one-shape", "{" + String.join(",", members) + "}");

    // lesson: least-scope
    // Three programs, each with a token for its job alone.
    var insured = member(with("policies:write", "POST", POLICIES, newVehicle()), "id");
    var claim = with("claims:write", "POST", CLAIMS, "{\"policyNumber\":\"%s\"}".formatted(insured));
    with("claims:read", "GET", CLAIMS + "/" + member(claim, "claimId"), null);

    // lesson: log-line
    // One trace through three systems. The claim is refused: its policyNumber is a registration number.
    var traceId = newTraceId();
    bare("GET", "/vehicle-registry/v2/vehicles/AB-1234", null, "traceparent", traceparent(traceId));
    call("GET", POLICIES, null, "traceparent", traceparent(traceId));
    call("POST", CLAIMS, "{\"policyNumber\":\"AB-1234\"}", "traceparent", traceparent(traceId));

    // The complaint: somebody has the trace id, and asks what failed.
    var failed = call("GET", "/range/v1/me/exchanges?status=4xx&traceId=" + traceId, null).body();
    var status = found(failed, "\"status\":(\\d+)").orElseThrow();
    var line = "{\"traceId\":\"%s\",\"requestId\":\"%s\",\"method\":\"%s\",\"path\":\"%s\",\"status\":%s}";
    answer("log-line", line.formatted(traceId, member(failed, "id"), member(failed, "method"), member(failed, "url"), status));

    // lesson: which-way
    // What each way takes of 60 calls a minute, so that each change of 6,000 claims is seen within 10 seconds. A page has
    // 500 claims at the most, and a call waits for 30 seconds at the most.
    call("GET", "/claims/v1/openapi.yaml", null);
    int each = 6000 * 60 / 10, list = 6000 / 500 * 60 / 10, changes = 60 / 10, longPoll = 60 / 30;
    // A file each night takes fewer calls still, but it is not in time.
    var ways = "{\"each\":%d,\"list\":%d,\"changes\":%d,\"longPoll\":%d,\"refused\":[\"each\",\"list\"],\"best\":\"longPoll\"}";
    answer("which-way", ways.formatted(each, list, changes, longPoll));

    // lesson: test-that-fails
    // A test has to fail where an answer is broken on purpose, and to pass where none is.
    startDrill("bad-json", "{}");
    var isNoticed = false;
    try {
      testPolicies();
    } catch (IllegalStateException broken) {
      isNoticed = true;
    }
    endDrill("bad-json");
    check(isNoticed, "the test passed, although no answer could be read");
    testPolicies();
    // end
  }

  // lesson: one-shape
  static Optional<String> found(String text, String pattern) {
    return Pattern.compile(pattern).matcher(text).results().map(each -> each.group(1)).findFirst();
  }

  static String quoted(Optional<String> fact) {
    return fact.map(text -> "\"" + text + "\"").orElse("null");
  }

  // lesson: least-scope
  static String with(String scope, String method, String path, String json) throws Exception {
    return call(method, path, json, "Authorization", "Bearer " + newToken("&scope=" + scope)).body();
  }

  // lesson: log-line, test-that-fails
  static String newTraceId() {
    return UUID.randomUUID().toString().replace("-", "");
  }

  /** Each call of a trace has a parent id of its own. */
  static String traceparent(String traceId) {
    return "00-" + traceId + "-" + newTraceId().substring(16) + "-01";
  }

  // lesson: test-that-fails
  /** It throws at the first answer that is not what it should be, and calls nothing more. */
  static void testPolicies() throws Exception {
    var traceId = newTraceId();
    var created = call("POST", POLICIES, newVehicle(), "traceparent", traceparent(traceId)).body();
    var read = call("GET", POLICIES + "/" + member(created, "id"), null, "traceparent", traceparent(traceId)).body();
    check(member(read, "regNumber").equals(member(created, "regNumber")), read);
  }
  // end
}
