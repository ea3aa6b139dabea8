package lplate.junit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** An L-Plate that listens, as tests see it. */
public final class LPlate {
    static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private final AtomicInteger plates = new AtomicInteger();
    private final String url;
    private final String trainerToken;

    /** @param url its address, without a slash at the end. The token of its trainer is for reset, time and drills. */
    public LPlate(String url, String trainerToken) {
        this.url = url;
        this.trainerToken = trainerToken;
    }

    public String url() {
        return url;
    }

    /** What a call was answered. The body is a JsonNode that is missing, if there was none. */
    public record Answer(int status, JsonNode body) {}

    /**
     * Calls it as a client would, whatever it answers.
     *
     * @param token null for calls without one
     * @param body what Jackson can write; null for none
     */
    public Answer call(String method, String path, String token, Object body) throws IOException, InterruptedException {
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
        HttpResponse<byte[]> response = http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        return new Answer(response.statusCode(), JSON.readTree(response.body()));
    }

    /** Brings back the state of the start. Clients are gone then. */
    public void reset() throws IOException, InterruptedException {
        must("POST", "/range/v1/trainer/reset?what=everything", trainerToken, null);
        plates.set(0);
    }

    /** Lets time go on for everybody. @param duration such as PT10S */
    public void advance(String duration) throws IOException, InterruptedException {
        must("POST", "/range/v1/trainer/clock", trainerToken, Map.of("advance", duration));
    }

    /** A new demo client. */
    public Client client() throws IOException, InterruptedException {
        return new Client(must("POST", "/insurer/v1/demo-clients", null, null));
    }

    /** @throws IOException with the problem, when it is refused */
    private JsonNode must(String method, String path, String token, Object body) throws IOException, InterruptedException {
        Answer answer = call(method, path, token, body);
        if (answer.status() >= 400) {
            throw new IOException(method + " " + path + ": " + answer.status() + " " + answer.body().path("detail").asText());
        }
        return answer.body();
    }

    /** A demo client, which sees its own data alone. */
    public final class Client {
        private final JsonNode credentials;
        private final String learner;

        private Client(JsonNode credentials) {
            this.credentials = credentials;
            learner = "/range/v1/trainer/learners/" + id();
        }

        public String id() {
            return credentials.get("client_id").asText();
        }

        public String secret() {
            return credentials.get("client_secret").asText();
        }

        /** A new access token, valid for an hour of this client's clock. */
        public String token() throws IOException, InterruptedException {
            return must("POST", "/insurer/v1/auth/token", null, credentials).get("access_token").asText();
        }

        /** A registration number that nobody has insured. */
        public String plate() {
            return String.format("TEST-%04d", plates.incrementAndGet());
        }

        /** Starts a fault that hits the calls of this client alone, for five minutes. Get a token before it. */
        public void drill(String name, Map<String, ?> parameters) throws IOException, InterruptedException {
            must("POST", learner + "/drills", trainerToken, Map.of("name", name, "parameters", parameters));
        }

        /** Moves the clock of this client. @param duration such as P8D */
        public void advance(String duration) throws IOException, InterruptedException {
            must("POST", learner + "/clock", trainerToken, Map.of("advance", duration));
        }

        /** The last 500 of its calls, the newest first. @param filters path, status, kind, problem */
        public JsonNode exchanges(Map<String, String> filters) throws IOException, InterruptedException {
            Map<String, String> all = new TreeMap<>(filters);
            all.put("pageSize", "500");
            String query = all.entrySet().stream()
                    .map(each -> each.getKey() + "=" + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
                    .collect(Collectors.joining("&"));
            return must("GET", learner + "/exchanges?" + query, trainerToken, null).get("items");
        }
    }
}
