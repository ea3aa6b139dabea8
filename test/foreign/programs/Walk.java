import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Map;

/** A client that openapi-generator made of the published descriptions. Prints what it did as one line of JSON. */
class Walk {
  public static void main(String[] args) throws Exception {
    var client = new insurer.ApiClient();
    client.updateBaseUri(args[0] + "/insurer/v1");
    var credentials = new insurer.api.ClientsAndTokensApi(client).createDemoClient();
    var request = new insurer.model.TokenRequest()
        .grantType(insurer.model.TokenRequest.GrantTypeEnum.CLIENT_CREDENTIALS)
        .clientId(credentials.getClientId())
        .clientSecret(credentials.getClientSecret());
    var token = new insurer.api.ClientsAndTokensApi(client).createToken(request).getAccessToken();

    client.setRequestInterceptor(builder -> builder.header("Authorization", "Bearer " + token));
    var policies = new insurer.api.PoliciesApi(client);
    var created = policies.createPolicy(new insurer.model.PolicyDraft()
        .regNumber("WK-1234").holder("Ada Example").startDate(LocalDate.now(ZoneOffset.UTC).plusDays(1)), "walk-1");
    var read = policies.readPolicy(created.getId(), null, null);
    var listed = policies.listPolicies(1, 5, null, null, null);
    var updated = policies.updatePolicy(created.getId(), new insurer.model.PolicyChange().holder("Grace Example"), "*", null);

    var other = new claims.ApiClient();
    other.updateBaseUri(args[0] + "/claims/v1");
    other.setRequestInterceptor(builder -> builder.header("Authorization", "Bearer " + token));
    var service = new claims.api.ClaimsApi(other);
    var registered = service.registerClaim(new claims.model.ClaimDraft().policyNumber(created.getId()), "walk-1");
    var claim = service.readClaim(registered.getClaimId(), null, null);

    var cancelled = policies.cancelPolicy(created.getId(), "*", null);
    var json = new ObjectMapper();
    String refused;
    try {
      policies.updatePolicy(created.getId(), new insurer.model.PolicyChange().holder("Too Late"), null, null);
      refused = "nothing";
    } catch (insurer.ApiException exception) {
      refused = json.readTree(exception.getResponseBody()).get("title").asText();
    }
    System.out.println(json.writeValueAsString(Map.of(
        "created", created.getStatus().getValue(),
        "read", read.getRegNumber(),
        "listed", listed.getTotalItems(),
        "updated", updated.getHolder(),
        "claim", claim.getStatus().getValue(),
        "cancelled", cancelled.getStatus().getValue(),
        "refused", refused)));
  }
}
