import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import javax.net.ssl.SSLException;

/** Calls each address, and prints whether its certificate was taken or refused. */
class Trust {
    public static void main(String[] addresses) throws Exception {
        var client = HttpClient.newHttpClient();
        for (var address : addresses) {
            try {
                client.send(HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.discarding());
                System.out.println("taken");
            } catch (SSLException error) {
                System.out.println("refused");
            }
        }
    }
}
