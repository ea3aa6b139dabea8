// A client of L-Plate with HttpClient: it renews its token, waits when it is told to, and reads page by page.
using System;
using System.Net;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;

/// <summary>Sends the token; gets a new one when it has expired, and waits as long as Retry-After says.</summary>
internal sealed class Patient : DelegatingHandler
{
    private readonly Func<Task<string>> newToken;
    private string token;

    public Patient(Func<Task<string>> newToken) : base(new HttpClientHandler()) => this.newToken = newToken;

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancelled)
    {
        var renewed = false;
        while (true)
        {
            token = token ?? await newToken();
            request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
            var answer = await base.SendAsync(request, cancelled);
            var pause = answer.Headers.RetryAfter?.Delta;
            if (answer.StatusCode == HttpStatusCode.Unauthorized && !renewed)
            {
                renewed = true;
                token = null;
            }
            else if (((int)answer.StatusCode == 429 || (int)answer.StatusCode == 503) && pause != null)
            {
                await Task.Delay(pause.Value, cancelled);
            }
            else
            {
                return answer;
            }
        }
    }
}

internal static class Walk
{
    private static readonly string Url = Environment.GetEnvironmentVariable("LPLATE_URL") ?? "http://localhost:8080";
    private static readonly string Insurer = Url + "/insurer/v1", Claims = Url + "/claims/v1";
    private static readonly HttpClient Open = new HttpClient();
    private static readonly Random Chance = new Random();

    internal static async Task Main()
    {
        var credentials = (await Read(Open, HttpMethod.Post, Insurer + "/demo-clients")).GetRawText();
        var http = new HttpClient(new Patient(async () =>
            Text(await Read(Open, HttpMethod.Post, Insurer + "/auth/token", credentials), "access_token")));

        var options = await Read(http, HttpMethod.Get, Insurer + "/coverage-options");
        var option = Text(options.GetProperty("options")[0], "code");
        var plate = Plate();
        var policy = await Read(http, HttpMethod.Post, Insurer + "/policies", Draft(plate, option));
        for (var more = 0; more < 2; more++) await Read(http, HttpMethod.Post, Insurer + "/policies", Draft(Plate(), option));
        var id = Text(policy, "id");
        var address = Insurer + "/policies/" + id;
        Print("insured", Text(await Read(http, HttpMethod.Get, address), "regNumber"));
        Print("holder", Text(await Read(http, HttpMethod.Put, address, @"{""holder"":""Grace Example""}"), "holder"));
        Print("policies", await CountPolicies(http));
        Print("again", (int)(await Call(http, HttpMethod.Post, Insurer + "/policies", Draft(plate, option))).StatusCode);
        Print("cancelled", Text(await Read(http, HttpMethod.Post, address + "/cancel"), "status"));

        var claim = await Read(http, HttpMethod.Post, Claims + "/claims", $@"{{""policyNumber"":""{id}"",""paceSeconds"":1}}");
        Print("claim", Text(claim, "status"));
        var batch = await Read(http, HttpMethod.Get, Claims + "/topics/claims.status-changed?after=earliest&wait=10");
        Print("event", Text(batch.GetProperty("events")[0].GetProperty("data"), "newStatus"));

        var envelope = "<soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\"><soap:Body>"
            + "<GetVehicleDataRequest xmlns=\"http://lplate.example/vehicle-registry/v1\">"
            + $"<RegNumber>{plate}</RegNumber></GetVehicleDataRequest></soap:Body></soap:Envelope>";
        var soap = await Open.PostAsync(Url + "/vehicle-registry/v1", new StringContent(envelope, Encoding.UTF8, "text/xml"));
        Print("vehicle", (int)soap.StatusCode);

        var secret = Environment.GetEnvironmentVariable("HMAC_SECRET");
        if (secret == null) return;
        var body = $@"{{""regNumber"":""{plate}""}}";
        var mac = new HMACSHA256(Encoding.UTF8.GetBytes(secret)).ComputeHash(Encoding.UTF8.GetBytes(body));
        var check = new HttpRequestMessage(HttpMethod.Post, Insurer + "/signed/policy-check") { Content = Json(body) };
        check.Headers.Add("X-Signature", BitConverter.ToString(mac).Replace("-", "").ToLowerInvariant());
        var signed = JsonDocument.Parse(await (await Open.SendAsync(check)).Content.ReadAsStringAsync()).RootElement;
        Print("signed", signed.GetProperty("insured"));
    }

    /// <summary>All pages: each but the last names the next in its header Link.</summary>
    private static async Task<int> CountPolicies(HttpClient http)
    {
        var count = 0;
        for (var next = Insurer + "/policies?pageSize=2"; next != "";)
        {
            var answer = await Call(http, HttpMethod.Get, next);
            var page = JsonDocument.Parse(await answer.Content.ReadAsStringAsync()).RootElement;
            count += page.GetProperty("items").GetArrayLength();
            next = Regex.Match(answer.Headers.ToString(), "<([^>]*)>; ?rel=\"?next").Groups[1].Value;
        }
        return count;
    }

    private static Task<HttpResponseMessage> Call(HttpClient http, HttpMethod method, string url, string body = null) =>
        http.SendAsync(new HttpRequestMessage(method, url) { Content = body == null ? null : Json(body) });

    /// <summary>The JSON of an answer that is no refusal.</summary>
    private static async Task<JsonElement> Read(HttpClient http, HttpMethod method, string url, string body = null)
    {
        var answer = await Call(http, method, url, body);
        var json = JsonDocument.Parse(await answer.Content.ReadAsStringAsync()).RootElement;
        if (!answer.IsSuccessStatusCode) throw new InvalidOperationException(json.GetProperty("detail").GetString());
        return json;
    }

    private static string Draft(string plate, string option) =>
        $@"{{""regNumber"":""{plate}"",""holder"":""Ada Example"",""coverageOption"":""{option}""}}";

    private static string Text(JsonElement json, string member) => json.GetProperty(member).GetString();

    private static StringContent Json(string text) => new StringContent(text, Encoding.UTF8, "application/json");

    /// <summary>A vehicle that nobody else has, or hardly.</summary>
    private static string Plate()
    {
        const string letters = "ABCDEGHIJKLMNOPRSTUWY";
        return $"{letters[Chance.Next(letters.Length)]}{letters[Chance.Next(letters.Length)]}-{Chance.Next(1, 10000):D4}";
    }

    private static void Print(string what, object value) => Console.WriteLine($"{what}: {value}");
}
