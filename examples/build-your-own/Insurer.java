import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/**
 * The first stage of an insurer of your own, to go on from: it lists the coverage options. Needs Java 17 or newer:
 *
 *   PORT=9000 java Insurer.java
 *   l-plate examine http://localhost:9000/insurer/v1
 */
class Insurer {
  record Answer(int status, String json) {}

  interface Route {
    Answer answer(HttpExchange call, String body);
  }

  static final String OPTIONS = """
      {"options":[
        {"code":"MTPL-1M","name":"One month","term":"P1M"},
        {"code":"MTPL-3M","name":"Three months","term":"P3M"},
        {"code":"MTPL-6M","name":"Six months","term":"P6M"},
        {"code":"MTPL-12M","name":"Twelve months","term":"P1Y"}]}""";

  /** By method and path. */
  static final Map<String, Route> ROUTES =
      Map.of("GET /insurer/v1/coverage-options", (call, body) -> new Answer(200, OPTIONS));

  // The second stage says what an address that you do not have is answered with.
  static final Route NOTHING = (call, body) -> new Answer(404, "{}");

  public static void main(String[] args) throws IOException {
    var port = Integer.parseInt(Optional.ofNullable(System.getenv("PORT")).orElse("9000"));
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/", call -> {
      var body = new String(call.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      var route = ROUTES.getOrDefault(call.getRequestMethod() + " " + call.getRequestURI().getPath(), NOTHING);
      var answer = route.answer(call, body);
      var data = answer.json().getBytes(StandardCharsets.UTF_8);
      call.getResponseHeaders().set("Content-Type", "application/json");
      call.sendResponseHeaders(answer.status(), data.length);
      try (var sent = call.getResponseBody()) {
        sent.write(data);
      }
    });
    server.start();
    System.out.println("ready " + server.getAddress().getPort());
  }
}
