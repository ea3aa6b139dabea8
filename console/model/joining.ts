/** Whether an address leads to the machine of whoever opens it, and so to another one for each. */
export function isOnlyHere(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^(?:127\.|0\.0\.0\.0$)/.test(host);
}

/**
 * The address for others: that by which this page was opened; where that means "this machine", the one that the service
 * has for itself, or the likeliest of those that it has in its networks. Undefined if there is none.
 *
 * @param issuer of tokens, as the service says: a URL at its own address
 */
export function addressForOthers(
  opened: URL,
  issuer: string | undefined,
  networks: readonly string[] = [],
): string | undefined {
  if (!isOnlyHere(opened.hostname)) return opened.origin;
  const own = issuer !== undefined && URL.canParse(issuer) ? new URL(issuer) : opened;
  return isOnlyHere(own.hostname) ? networks[0] : own.origin;
}

/** The path of an SVG that draws the dark squares of a QR code; a row's neighbours are one stroke. */
export function qrPath(dark: readonly (readonly boolean[])[]): string {
  return dark
    .flatMap((row, y) => {
      const runs: string[] = [];
      for (let x = 0; x < row.length; x += 1) {
        if (!row[x]) continue;
        const from = x;
        while (row[x + 1]) x += 1;
        const length = x + 1 - from;
        runs.push(`M${from} ${y}h${length}v1h-${length}z`);
      }
      return runs;
    })
    .join('');
}

/** How to start L-Plate so that others reach it, on the port that it has now. */
export function startCommand(port: string): string {
  return `npm start -- --class${port === '' ? '' : ` --port ${port}`}`;
}

/** The same page by another address of the service. */
export function joinPageAt(origin: string): string {
  return `${origin}/#/trainer/join`;
}
