import { plateOf } from '../../model/plate.ts';
import { powershell, quoted, shell } from '../../model/quoting.ts';

/*
 * The first calls of a learner, in the language of their choice: a token, a policy, the list of policies. They are whole:
 * whoever pastes them has nothing to fill in.
 */

export interface CallInputs {
  /** By which address the browser reached L-Plate, such as `http://localhost:8080`. */
  readonly origin: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Whether the certificate of the service is from its own authority: then the calls name the file that has it. */
  readonly ownAuthority?: boolean;
}

/** The file with the certificate of the service’s own authority. */
export const authorityFile = 'lplate-ca.pem';

interface Filled {
  readonly ownAuthority: boolean;
  readonly base: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly plate: string;
}

export interface Tool {
  readonly id: string;
  readonly name: string;
  /** Where the text goes, in a sentence or two. What is between backquotes is code. */
  readonly how: string;
  readonly write: (filled: Filled) => string;
}

export const tools = [
  {
    id: 'curl',
    name: 'curl',
    how: 'Paste it into a terminal: bash or zsh on Linux and macOS, Git Bash or WSL on Windows.',
    write: curl,
  },
  {
    id: 'powershell',
    name: 'PowerShell',
    how: 'Paste it into PowerShell. There `curl` can be the name of another command: to call the real one, type `curl.exe`, put JSON into a file and send it with `-d "@body.json"`.',
    write: powerShell,
  },
  { id: 'httpie', name: 'HTTPie', how: 'Paste it into a terminal with HTTPie 3, bash or zsh.', write: httpie },
  {
    id: 'javascript',
    name: 'JavaScript',
    how: 'Save it as `first.mjs` and run `node first.mjs`. It needs Node.js 18 or newer, and no package.',
    write: javaScript,
  },
  {
    id: 'python',
    name: 'Python',
    how: 'Save it as `first.py` and run `python3 first.py`. It needs Python 3.9 or newer, and no package.',
    write: python,
  },
  {
    id: 'java',
    name: 'Java',
    how: 'Save it as `First.java` and run `java First.java`. It needs Java 11 or newer, and no library.',
    write: java,
  },
] as const satisfies readonly Tool[];

export type ToolId = (typeof tools)[number]['id'];

/** The vehicle that a tool insures: another one for each tool, so that whoever tries several is not refused. */
export function plateOfTool(id: ToolId, clientId: string): string {
  return plateOf(clientId, tools.findIndex((tool) => tool.id === id) + 1);
}

/** The program or the lines to paste. */
export function firstCalls(id: ToolId, { origin, clientId, clientSecret, ownAuthority = false }: CallInputs): string {
  const tool = tools.find((each) => each.id === id) as Tool;
  const plate = plateOfTool(id, clientId);
  return tool.write({ base: `${origin}/insurer/v1`, clientId, clientSecret, plate, ownAuthority });
}

const credentialsJson = ({ clientId, clientSecret }: Filled) =>
  JSON.stringify({ client_id: clientId, client_secret: clientSecret });

const draftJson = ({ plate }: Filled) => JSON.stringify({ regNumber: plate });

const tokenOf = String.raw`sed 's/.*"access_token":"\([^"]*\)".*/\1/'`;

// Without comments, which some shells don't take at their prompt.
function curl(filled: Filled): string {
  const curl = filled.ownAuthority ? `curl --cacert ${authorityFile}` : 'curl';
  return `BASE=${shell(filled.base)}
JSON='Content-Type: application/json'
TOKEN=$(${curl} -s "$BASE/auth/token" -H "$JSON" \\
  -d ${shell(credentialsJson(filled))} |
  ${tokenOf})

${curl} -s -w ' %{http_code}\\n' "$BASE/policies" -H "Authorization: Bearer $TOKEN" -H "$JSON" \\
  -d ${shell(draftJson(filled))}

${curl} -s -w ' %{http_code}\\n' "$BASE/policies" -H "Authorization: Bearer $TOKEN"
`;
}

function powerShell({ base, clientId, clientSecret, plate }: Filled): string {
  return `$base = ${powershell(base)}
$json = 'application/json'

$credentials = @{ client_id = ${powershell(clientId)}; client_secret = ${powershell(clientSecret)} } | ConvertTo-Json
$answer = Invoke-RestMethod "$base/auth/token" -Method Post -ContentType $json -Body $credentials
$headers = @{ Authorization = "Bearer $($answer.access_token)" }

$draft = @{ regNumber = ${powershell(plate)} } | ConvertTo-Json
Invoke-RestMethod "$base/policies" -Method Post -Headers $headers -ContentType $json -Body $draft

Invoke-RestMethod "$base/policies" -Headers $headers | ConvertTo-Json -Depth 5
`;
}

function httpie({ base, clientId, clientSecret, plate, ownAuthority }: Filled): string {
  const http = ownAuthority ? `http --verify=${authorityFile}` : 'http';
  return `BASE=${shell(base)}
TOKEN=$(${http} --body POST "$BASE/auth/token" \\
  client_id=${shell(clientId)} client_secret=${shell(clientSecret)} |
  ${tokenOf})

${http} POST "$BASE/policies" "Authorization: Bearer $TOKEN" regNumber=${shell(plate)}

${http} GET "$BASE/policies" "Authorization: Bearer $TOKEN"
`;
}

function javaScript({ base, clientId, clientSecret, plate }: Filled): string {
  return `const base = ${quoted(base)};
const json = { 'Content-Type': 'application/json' };

const credentials = {
  client_id: ${quoted(clientId)},
  client_secret: ${quoted(clientSecret)},
};
const answer = await fetch(\`\${base}/auth/token\`, {
  method: 'POST',
  headers: json,
  body: JSON.stringify(credentials),
});
const { access_token } = await answer.json();
const authorization = { Authorization: \`Bearer \${access_token}\` };

const created = await fetch(\`\${base}/policies\`, {
  method: 'POST',
  headers: { ...json, ...authorization },
  body: JSON.stringify({ regNumber: ${quoted(plate)} }),
});
console.log(created.status, await created.json());

const listed = await fetch(\`\${base}/policies\`, { headers: authorization });
console.log(listed.status, await listed.json());
`;
}

function python({ base, clientId, clientSecret, plate, ownAuthority }: Filled): string {
  const context = ownAuthority ? `\nCONTEXT = ssl.create_default_context(cafile=${quoted(authorityFile)})` : '';
  return `import json${ownAuthority ? '\nimport ssl' : ''}
from urllib.error import HTTPError
from urllib.request import Request, urlopen

BASE = ${quoted(base)}${context}


def call(method, path, body=None, token=None):
    request = Request(BASE + path, method=method)
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    if token is not None:
        request.add_header("Authorization", "Bearer " + token)
    try:
        answer = urlopen(request${ownAuthority ? ', context=CONTEXT' : ''})
    except HTTPError as refusal:
        answer = refusal
    return answer.status, json.load(answer)


credentials = {
    "client_id": ${quoted(clientId)},
    "client_secret": ${quoted(clientSecret)},
}
status, answer = call("POST", "/auth/token", credentials)
token = answer["access_token"]

print(*call("POST", "/policies", {"regNumber": ${quoted(plate)}}, token))
print(*call("GET", "/policies", token=token))
`;
}

function java(filled: Filled): string {
  const program = `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

class First {
  static final String BASE = ${quoted(filled.base)};
  static final String CREDENTIALS =
      ${quoted(credentialsJson(filled))};

  public static void main(String[] args) throws Exception {
    var answer = send(post("/auth/token", CREDENTIALS)).body();
    var token = "Bearer " + answer.replaceAll(".*\\"access_token\\":\\"([^\\"]*)\\".*", "$1");

    var draft = ${quoted(draftJson(filled))};
    var created = send(post("/policies", draft).header("Authorization", token));
    System.out.println(created.statusCode() + " " + created.body());

    var listed = send(to("/policies").header("Authorization", token));
    System.out.println(listed.statusCode() + " " + listed.body());
  }

  static HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(URI.create(BASE + path));
  }

  static HttpRequest.Builder post(String path, String json) {
    return to(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(json));
  }

  static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
  }
}
`;
  // Which encoding Java reads the file in depends on the machine.
  return program.replace(/[^\n -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
