import { shell } from '../../model/quoting.ts';

/** What `printf` of a shell writes as exactly this text: line ends and what nobody sees are escaped. */
export function printfWord(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
    .replaceAll('\uFEFF', '\\357\\273\\277')
    // At the beginning it would be an option.
    .replace(/^-/, '\\055')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to escape
    .replaceAll(/[\u0000-\u001f\u007f]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`);
  return shell(escaped);
}

/** Commands that make a file of exactly this text and send it signed. `signature` in hexadecimal. */
export function signedCall(url: string, text: string, signature: string): string {
  return `printf ${printfWord(text)} > body.json
curl -i ${shell(url)} \\
  -H 'Content-Type: application/json' \\
  -H ${shell(`X-Signature: ${signature}`)} \\
  --data-binary @body.json`;
}
