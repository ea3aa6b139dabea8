import { shell as inShell, powershell } from '../../model/quoting.ts';

/** What the hints of lessons name in their commands, and where its value comes from. */
export interface Values {
  readonly origin: string;
  /** Undefined before there is a client. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
}

export type Shell = 'sh' | 'powershell';

/** The names of the variables in some texts, each once: `$ROOT` gives ROOT. */
export function variablesIn(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => [...text.matchAll(/\$([A-Z][A-Z_]+)/g)].map(([, name = '']) => name)))];
}

/**
 * Lines that set what commands with these variables need: the addresses, the credentials, and last the token. Empty when
 * they need nothing of it. A hint says itself what else it has a variable for.
 */
export function settings(names: readonly string[], { origin, clientId, clientSecret }: Values, shell: Shell): string {
  const wanted = new Set(names);
  if (wanted.has('TOKEN')) for (const each of ['ROOT', 'CLIENT_ID', 'CLIENT_SECRET']) wanted.add(each);
  const values: [string, string][] = [
    ['ROOT', origin],
    ['BASE', `${origin}/insurer/v1`],
    ['CLIENT_ID', clientId ?? 'demo-…'],
    ['CLIENT_SECRET', clientSecret ?? '…'],
  ];
  const assign = (name: string, value: string) =>
    shell === 'sh' ? `${name}=${inShell(value)}` : `$${name} = ${powershell(value)}`;
  const lines = values.filter(([name]) => wanted.has(name)).map(([name, value]) => assign(name, value));
  if (wanted.has('TOKEN')) lines.push(token[shell]);
  return lines.join('\n');
}

/** It works at every prompt: the parts of the JSON have no variable in quotes of the other kind. */
const token: Record<Shell, string> = {
  sh: `TOKEN=$(curl -s $ROOT/insurer/v1/auth/token -H 'Content-Type: application/json' -d '{"client_id":"'$CLIENT_ID'","client_secret":"'$CLIENT_SECRET'"}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
  powershell:
    '$TOKEN = (Invoke-RestMethod "$ROOT/insurer/v1/auth/token" -Method Post -ContentType application/json -Body (@{client_id=$CLIENT_ID; client_secret=$CLIENT_SECRET} | ConvertTo-Json)).access_token',
};
