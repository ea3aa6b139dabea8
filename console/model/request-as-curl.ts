import { shell } from './quoting.ts';

/** A call that a page made, without its token. */
export interface MadeRequest {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What was sent as JSON. */
  readonly json?: unknown;
}

/** The same call for a shell such as bash or zsh. The token stands in the variable TOKEN. */
export function requestAsCurl({ method, url, headers = {}, json }: MadeRequest): string {
  const first = method === 'GET' ? `curl -i ${shell(url)}` : `curl -i -X ${method} ${shell(url)}`;
  const lines = [first, '-H "Authorization: Bearer $TOKEN"'];
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${shell(`${name}: ${value}`)}`);
  if (json !== undefined) {
    lines.push("-H 'Content-Type: application/json'", `-d ${shell(visible(JSON.stringify(json)))}`);
  }
  return lines.join(' \\\n  ');
}

/** The same JSON, with escapes for characters that nobody sees, or that turn the direction of what follows. */
function visible(json: string): string {
  return json.replace(/[\u007f-\u009f\u00ad]|\p{Cf}|[\u2028\u2029]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
