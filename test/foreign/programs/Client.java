import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** Calls an address by HTTPS with what the platform trusts, and prints the protocol and the status. */
class Client {
    public static void main(String[] arguments) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(arguments[0])).build();
        var answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
        System.out.println(answer.version() + " " + answer.statusCode());
    }
}
