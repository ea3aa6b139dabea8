/**
 * What the description of every interface says of refusals and of browsers, in Markdown. `ignored` tells what is passed
 * over; `uncounted` goes on about what can't be read as a request.
 */
export function conduct(publicUrl: string, ignored: string, uncounted = ''): string[] {
  return [
    '## Refusals',
    '',
    `Every refusal is a problem after RFC 9457. The address in its \`type\` is a page that explains it: ${publicUrl}/problems lists them all.`,
    '',
    '- A path that is not listed here answers 404 `not-found`; a method that is not listed, 405 `method-not-allowed`. GET takes HEAD too.',
    `- What can’t be read as a request at all (400 \`malformed-request\`, 408, 431) was counted nowhere, so the answer has no \`RateLimit-\` headers${uncounted}.`,
    `- ${ignored}`,
    '',
    '## Browsers',
    '',
    'Scripts of any origin may call. An `OPTIONS` request that asks for leave (a preflight) is answered 204 and not counted.',
  ];
}
