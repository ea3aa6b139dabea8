// Copy this file beside your tests: `LPlate` is L-Plate, started once for a class of tests. It starts `npx l-plate`, which
// needs Node.js 24 or newer; LPLATE_COMMAND names another command. It needs .NET alone: here it is a fixture of xUnit.
// In NUnit, make it in [OneTimeSetUp] and dispose of it in [OneTimeTearDown]. Then: dotnet test
using System;
using System.Diagnostics;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;

/// <summary>L-Plate refused a call. The problem says why.</summary>
public sealed class Refused : Exception
{
    public readonly int Status;
    public readonly string Problem;

    public Refused(int status, string problem) : base(problem)
    {
        Status = status;
        Problem = problem;
    }
}

public sealed class LPlate : IDisposable
{
    private const string Settings = " --port 0 --ready json --log-level warn --seed 47 --now 2026-03-01T09:00Z" +
        // It ends with the tests, also when they are killed: the pipe to its standard input is closed then.
        " --end-with-stdin --rate-limit-per-minute off --probe-limit-per-minute off";

    private readonly Process program;
    private readonly HttpClient http = new HttpClient();
    private readonly string trainerToken;

    public readonly string Url;

    public LPlate()
    {
        var npx = Environment.OSVersion.Platform == PlatformID.Win32NT ? "npx.cmd" : "npx";
        var command = Environment.GetEnvironmentVariable("LPLATE_COMMAND") ?? npx + " --yes l-plate";
        var words = command.Split(new[] { ' ' }, 2);
        program = new Process
        {
            StartInfo = new ProcessStartInfo(words[0], (words.Length > 1 ? words[1] : "") + Settings)
            {
                UseShellExecute = false,
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
            },
        };
        program.Start();
        var line = program.StandardOutput.ReadLine() ?? throw new InvalidOperationException("L-Plate did not start");
        var ready = JsonDocument.Parse(line).RootElement;
        Url = Text(ready, "url");
        trainerToken = Text(ready.GetProperty("secrets"), "trainerToken");
    }

    public void Dispose()
    {
        program.StandardInput.Close();
        program.WaitForExit();
        http.Dispose();
    }

    /// <summary>A call without a body. The token may be empty.</summary>
    public Task<JsonElement> Call(HttpMethod method, string path, string token) =>
        Send(new HttpRequestMessage(method, Url + path), token);

    /// <summary>A call with a body in JSON. Returns that of the answer, or throws Refused.</summary>
    public Task<JsonElement> Call(HttpMethod method, string path, string token, object body)
    {
        var json = JsonSerializer.Serialize(body, body.GetType());
        var content = new StringContent(json, Encoding.UTF8, "application/json");
        return Send(new HttpRequestMessage(method, Url + path) { Content = content }, token);
    }

    /// <summary>The state of the start. Clients are gone then.</summary>
    public Task Reset() => Call(HttpMethod.Post, "/range/v1/trainer/reset?what=everything", trainerToken);

    /// <summary>Lets time go on for everybody, such as PT10S.</summary>
    public Task Advance(string duration) =>
        Call(HttpMethod.Post, "/range/v1/trainer/clock", trainerToken, new { advance = duration });

    /// <summary>A token of a new demo client.</summary>
    public async Task<string> Token()
    {
        var credentials = await Call(HttpMethod.Post, "/insurer/v1/demo-clients", "");
        return Text(await Call(HttpMethod.Post, "/insurer/v1/auth/token", "", credentials), "access_token");
    }

    /// <summary>A member that is a text.</summary>
    public static string Text(JsonElement of, string member) => of.GetProperty(member).GetString() ?? "";

    private async Task<JsonElement> Send(HttpRequestMessage request, string token)
    {
        if (token != "") request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
        var answer = await http.SendAsync(request);
        var text = await answer.Content.ReadAsStringAsync();
        if (!answer.IsSuccessStatusCode) throw new Refused((int)answer.StatusCode, text);
        return JsonDocument.Parse(text == "" ? "null" : text).RootElement;
    }
}
