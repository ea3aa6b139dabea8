import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A client of L-Plate with java.net.http: it renews its token, waits when it is told to, and reads page by page. */
class Walk {
  static final String URL = Optional.ofNullable(System.getenv("LPLATE_URL")).orElse("http://localhost:8080");
  static final String INSURER = URL + "/insurer/v1", CLAIMS = URL + "/claims/v1";

  final HttpClient http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
  String credentials;
  String token;

  public static void main(String[] args) throws Exception {
    new Walk().run();
  }

  void run() throws Exception {
    credentials = read("POST", INSURER + "/demo-clients", "");
    renew();
    var option = member(read("GET", INSURER + "/coverage-options", null), "code");
    var draft = "{\"regNumber\":\"%s\",\"holder\":\"Ada Example\",\"coverageOption\":\"%s\"}";
    var first = draft.formatted(plate(), option);
    var policy = read("POST", INSURER + "/policies", first);
    for (var more = 0; more < 2; more++) read("POST", INSURER + "/policies", draft.formatted(plate(), option));
    var id = member(policy, "id");
    var address = INSURER + "/policies/" + id;
    print("insured", member(read("GET", address, null), "regNumber"));
    print("holder", member(read("PUT", address, "{\"holder\":\"Grace Example\"}"), "holder"));
    print("policies", countPolicies());
    print("again", call("POST", INSURER + "/policies", first).statusCode());
    print("cancelled", member(read("POST", address + "/cancel", ""), "status"));

    var claim = read("POST", CLAIMS + "/claims", "{\"policyNumber\":\"%s\",\"paceSeconds\":1}".formatted(id));
    print("claim", member(claim, "status"));
    var batch = read("GET", CLAIMS + "/topics/claims.status-changed?after=earliest&wait=10", null);
    print("event", member(batch, "newStatus"));

    var envelope = """
        <soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
        <GetVehicleDataRequest xmlns="http://lplate.example/vehicle-registry/v1"><RegNumber>%s</RegNumber>
        </GetVehicleDataRequest></soap:Body></soap:Envelope>""".formatted(member(policy, "regNumber"));
    var soap = HttpRequest.newBuilder(URI.create(URL + "/vehicle-registry/v1")).header("Content-Type", "text/xml");
    print("vehicle", send(soap.POST(BodyPublishers.ofString(envelope))).statusCode());

    var secret = System.getenv("HMAC_SECRET");
    if (secret == null) return;
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    var body = "{\"regNumber\":\"%s\"}".formatted(member(policy, "regNumber")).getBytes(StandardCharsets.UTF_8);
    var check = request("POST", INSURER + "/signed/policy-check", "{}").POST(BodyPublishers.ofByteArray(body));
    var signed = send(check.header("X-Signature", HexFormat.of().formatHex(mac.doFinal(body))));
    print("signed", signed.body().contains("\"insured\":true"));
  }

  /** All pages: each but the last names the next in its header Link. */
  int countPolicies() throws Exception {
    var count = 0;
    for (var next = INSURER + "/policies?pageSize=2"; next != null; ) {
      var page = call("GET", next, null);
      count += Pattern.compile("\"regNumber\":").matcher(page.body()).results().count();
      var link = Pattern.compile("<([^>]*)>; ?rel=\"?next").matcher(page.headers().firstValue("Link").orElse(""));
      next = link.find() ? link.group(1) : null;
    }
    return count;
  }

  /** The answer, whatever its status; after a new token if that had expired, and after a pause if one is asked for. */
  HttpResponse<String> call(String method, String url, String json) throws Exception {
    for (var renewed = false; ; ) {
      var request = request(method, url, json);
      if (token != null) request.header("Authorization", "Bearer " + token);
      var answer = send(request);
      var pause = answer.headers().firstValueAsLong("Retry-After");
      if (answer.statusCode() == 401 && token != null && !renewed) {
        renewed = true;
        renew();
      } else if ((answer.statusCode() == 429 || answer.statusCode() == 503) && pause.isPresent()) {
        Thread.sleep(pause.getAsLong() * 1000);
      } else {
        return answer;
      }
    }
  }

  /** The JSON of an answer that is no refusal. */
  String read(String method, String url, String json) throws Exception {
    var answer = call(method, url, json);
    if (answer.statusCode() >= 400) throw new IllegalStateException(member(answer.body(), "detail"));
    return answer.body();
  }

  void renew() throws Exception {
    token = null;
    token = member(read("POST", INSURER + "/auth/token", credentials), "access_token");
  }

  static HttpRequest.Builder request(String method, String url, String json) {
    var body = json == null ? BodyPublishers.noBody() : BodyPublishers.ofString(json);
    var request = HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(30)).method(method, body);
    return json == null || json.isEmpty() ? request : request.header("Content-Type", "application/json");
  }

  HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), BodyHandlers.ofString());
  }

  /** The first member of this name that is a text. In a program of your own a library reads the JSON. */
  static String member(String json, String name) {
    var found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
    if (!found.find()) throw new IllegalStateException("No " + name + " in " + json);
    return found.group(1);
  }

  /** A vehicle that nobody else has, or hardly. */
  static String plate() {
    var random = ThreadLocalRandom.current();
    var letters = "ABCDEGHIJKLMNOPRSTUWY";
    var two = "" + letters.charAt(random.nextInt(21)) + letters.charAt(random.nextInt(21));
    return "%s-%04d".formatted(two, random.nextInt(1, 10_000));
  }

  static void print(String what, Object value) {
    System.out.println(what + ": " + value);
  }
}
