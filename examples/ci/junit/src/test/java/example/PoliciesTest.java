package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class PoliciesTest {
    private static LPlate insurer;

    @BeforeAll
    static void start() {
        insurer = LPlate.start();
    }

    @BeforeEach
    void reset() throws Exception {
        insurer.reset();
    }

    private JsonNode insure(String token) throws Exception {
        LPlate.Answer answer = insurer.call("POST", "/insurer/v1/policies", token, Map.of("regNumber", "CI-0001"));
        assertEquals(201, answer.status());
        return answer.body();
    }

    @RepeatedTest(2)
    void aPolicyBeginsTodayAndIsTheSameInEachRun() throws Exception {
        JsonNode policy = insure(insurer.token());
        assertEquals("pol-019ca8a0-3e80-704c-acb3-fc0cb5a0e988", policy.get("id").asText());
        assertEquals("2026-03-01", policy.get("startDate").asText());
        assertEquals("2026-03-01T09:00:00.000Z", policy.get("createdAt").asText());
    }

    @Test
    void aClaimMovesWhenTimeDoes() throws Exception {
        String token = insurer.token();
        String policy = insure(token).get("id").asText();
        JsonNode claim = insurer.call("POST", "/claims/v1/claims", token, Map.of("policyNumber", policy)).body();
        String path = "/claims/v1/claims/" + claim.get("claimId").asText();
        assertEquals("REGISTERED", insurer.call("GET", path, token, null).body().get("status").asText());
        insurer.advance("PT10S");
        assertEquals("UNDER_REVIEW", insurer.call("GET", path, token, null).body().get("status").asText());
    }
}
