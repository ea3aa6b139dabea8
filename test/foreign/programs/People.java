import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.SynchronousQueue;
import org.springframework.security.crypto.keygen.Base64StringKeyGenerator;
import org.springframework.security.oauth2.client.authentication.OAuth2AuthorizationCodeAuthenticationProvider;
import org.springframework.security.oauth2.client.authentication.OAuth2AuthorizationCodeAuthenticationToken;
import org.springframework.security.oauth2.client.endpoint.OAuth2RefreshTokenGrantRequest;
import org.springframework.security.oauth2.client.endpoint.RestClientAuthorizationCodeTokenResponseClient;
import org.springframework.security.oauth2.client.endpoint.RestClientRefreshTokenTokenResponseClient;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestCustomizers;
import org.springframework.security.oauth2.core.OAuth2AccessToken;
import org.springframework.security.oauth2.core.OAuth2AuthorizationException;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationExchange;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationRequest;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationResponse;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;
import org.springframework.web.util.UriComponentsBuilder;

/** An app that a person lets in, by Spring Security's client. Arguments: issuer, origin, client, secret. */
class People {
    private static final RestClient http = RestClient.create();
    private static final Base64StringKeyGenerator random = new Base64StringKeyGenerator(Base64.getUrlEncoder().withoutPadding());

    /** The ids of the policies that a token sees, or the status of its refusal. */
    private static Object policies(String origin, OAuth2AccessToken token) {
        try {
            var list = http.get().uri(origin + "/insurer/v1/policies")
                    .headers(headers -> headers.setBearerAuth(token.getTokenValue())).retrieve().body(JsonNode.class);
            return list.get("items").valueStream().map(each -> each.get("id").asText()).toList();
        } catch (HttpClientErrorException refused) {
            return refused.getStatusCode().value();
        }
    }

    private static OAuth2AuthorizationRequest begin(ClientRegistration client, String redirectUri) {
        var request = OAuth2AuthorizationRequest.authorizationCode().clientId(client.getClientId())
                .authorizationUri(client.getProviderDetails().getAuthorizationUri()).redirectUri(redirectUri)
                .scopes(client.getScopes()).state(random.generateKey());
        OAuth2AuthorizationRequestCustomizers.withPkce().accept(request);
        return request.build();
    }

    public static void main(String[] arguments) throws Exception {
        String issuer = arguments[0], origin = arguments[1], id = arguments[2], secret = arguments[3];
        var callbacks = new SynchronousQueue<URI>();
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/callback", call -> {
            call.sendResponseHeaders(200, -1);
            call.close();
            try {
                callbacks.put(call.getRequestURI());
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        });
        server.start();
        var redirectUri = "http://127.0.0.1:" + server.getAddress().getPort() + "/callback";
        var client = ClientRegistrations.fromIssuerLocation(issuer).clientId(id).clientSecret(secret)
                .redirectUri(redirectUri).scope("policies:read", "claims:read").build();
        var provider = new OAuth2AuthorizationCodeAuthenticationProvider(
                new RestClientAuthorizationCodeTokenResponseClient());

        var refusals = new ArrayList<String>();
        OAuth2AuthorizationCodeAuthenticationToken found = null;
        while (found == null) {
            var request = begin(client, redirectUri);
            System.out.println(request.getAuthorizationRequestUri());
            var sent = UriComponentsBuilder.newInstance().query(callbacks.take().getQuery()).build().getQueryParams();
            var response = OAuth2AuthorizationResponse.success(sent.getFirst("code")).state(sent.getFirst("state"))
                    .redirectUri(redirectUri).build();
            var exchange = new OAuth2AuthorizationExchange(request, response);
            // It compares state, and leaves iss to the app.
            if (!issuer.equals(sent.getFirst("iss"))) {
                refusals.add("another iss");
                continue;
            }
            try {
                found = (OAuth2AuthorizationCodeAuthenticationToken) provider
                        .authenticate(new OAuth2AuthorizationCodeAuthenticationToken(client, exchange));
            } catch (OAuth2AuthorizationException refused) {
                refusals.add(refused.getError().getErrorCode());
            }
        }
        server.stop(0);
        var seen = policies(origin, found.getAccessToken());

        var refresh = new RestClientRefreshTokenTokenResponseClient();
        var renewed = refresh.getTokenResponse(
                new OAuth2RefreshTokenGrantRequest(client, found.getAccessToken(), found.getRefreshToken()));
        var again = policies(origin, renewed.getAccessToken());
        // Its metadata say where; it revokes nothing by itself.
        var form = new LinkedMultiValueMap<String, String>();
        form.add("token", renewed.getRefreshToken().getTokenValue());
        http.post().uri((String) client.getProviderDetails().getConfigurationMetadata().get("revocation_endpoint"))
                .headers(headers -> headers.setBasicAuth(id, secret)).body(form).retrieve().toBodilessEntity();
        var call = policies(origin, renewed.getAccessToken());
        String ended = null;
        try {
            refresh.getTokenResponse(
                    new OAuth2RefreshTokenGrantRequest(client, renewed.getAccessToken(), renewed.getRefreshToken()));
        } catch (OAuth2AuthorizationException refused) {
            ended = refused.getError().getErrorCode();
        }
        System.out.println(new ObjectMapper().writeValueAsString(Map.of("refusals", refusals,
                "scope", String.join(" ", found.getAccessToken().getScopes()), "seen", seen, "again", again,
                "ended", List.of(call, ended))));
    }
}
