using System.Net.Http;
using System.Text.Json;
using System.Threading.Tasks;
using Xunit;

public class PoliciesTests : IClassFixture<LPlate>
{
    private readonly LPlate lplate;

    public PoliciesTests(LPlate lplate) => this.lplate = lplate;

    private Task<JsonElement> Insure(string token, string regNumber) =>
        lplate.Call(HttpMethod.Post, "/insurer/v1/policies", token, new { regNumber });

    [Fact]
    public async Task APolicyBeginsTodayAndIsTheSameInEachRun()
    {
        for (var run = 1; run <= 2; run++)
        {
            await lplate.Reset();
            var policy = await Insure(await lplate.Token(), "TEST-0001");
            Assert.Equal("pol-019ca8a0-3e80-704c-acb3-fc0cb5a0e988", LPlate.Text(policy, "id"));
            Assert.Equal("2026-03-01", LPlate.Text(policy, "startDate"));
        }
    }

    [Fact]
    public async Task AVehicleHasOnePolicyInForce()
    {
        await lplate.Reset();
        var token = await lplate.Token();
        await Insure(token, "TEST-0001");
        var refused = await Assert.ThrowsAsync<Refused>(() => Insure(token, "TEST-0001"));
        Assert.Equal(409, refused.Status);
    }

    [Fact]
    public async Task AClaimMovesWhenTimeDoes()
    {
        await lplate.Reset();
        var token = await lplate.Token();
        var policyNumber = LPlate.Text(await Insure(token, "TEST-0001"), "id");
        var claim = await lplate.Call(HttpMethod.Post, "/claims/v1/claims", token, new { policyNumber });
        Assert.Equal("REGISTERED", LPlate.Text(claim, "status"));
        await lplate.Advance("PT10S");
        claim = await lplate.Call(HttpMethod.Get, "/claims/v1/claims/" + LPlate.Text(claim, "claimId"), token);
        Assert.Equal("UNDER_REVIEW", LPlate.Text(claim, "status"));
    }
}
