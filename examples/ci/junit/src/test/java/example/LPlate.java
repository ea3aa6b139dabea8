package example;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * L-Plate in a container: nothing on disk, no rate limits, and the same ids, secrets and times in each run. With
 * LPLATE_URL set, the one that listens there is used instead.
 */
final class LPlate {
    private static final String TRAINER_TOKEN = "trainer-of-the-tests";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient client = HttpClient.newHttpClient();
    private final String url;

    private LPlate(String url) {
        this.url = url;
    }

    /** Testcontainers removes the container when the tests are over. */
    static LPlate start() {
        String running = System.getenv("LPLATE_URL");
        if (running != null) {
            return new LPlate(running);
        }
        GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse("l-plate"))
                .withEnv(settings())
                .withExposedPorts(8080)
                .waitingFor(Wait.forHttp("/readyz"));
        container.start();
        return new LPlate("http://" + container.getHost() + ":" + container.getMappedPort(8080));
    }

    static Map<String, String> settings() {
        return Map.of(
                "DATA_DIR", "memory",
                "SEED", "47",
                "NOW", "2026-03-01T09:00Z",
                "RATE_LIMIT_PER_MINUTE", "off",
                "PROBE_LIMIT_PER_MINUTE", "off",
                "TRAINER_TOKEN", TRAINER_TOKEN);
    }

    record Answer(int status, JsonNode body) {}

    /** The token and the body may be null. */
    Answer call(String method, String path, String token, Object body) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        if (body == null) {
            request.method(method, HttpRequest.BodyPublishers.noBody());
        } else {
            request.header("Content-Type", "application/json");
            request.method(method, HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)));
        }
        HttpResponse<byte[]> response = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        return new Answer(response.statusCode(), JSON.readTree(response.body()));
    }

    /** The state of the start: before each test. */
    void reset() throws Exception {
        call("POST", "/range/v1/trainer/reset?what=everything", TRAINER_TOKEN, null);
    }

    /** Lets time go on for everybody, such as PT10S. */
    void advance(String duration) throws Exception {
        call("POST", "/range/v1/trainer/clock", TRAINER_TOKEN, Map.of("advance", duration));
    }

    /** A token of a new client. */
    String token() throws Exception {
        JsonNode credentials = call("POST", "/insurer/v1/demo-clients", null, null).body();
        return call("POST", "/insurer/v1/auth/token", null, credentials).body().get("access_token").asText();
    }
}
