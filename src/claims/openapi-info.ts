import type { Replacements } from '../http/descriptions/examples.ts';
import { commonText, unknownNames } from '../http/descriptions/text.ts';
import { tokenSchemes } from '../insurer/index.ts';
import { exampleReceiver } from '../webhooks/index.ts';

/**
 * What the description of the claims interface says of it as a whole. `callsThisMachine`: whether a webhook can.
 */
export function openApiInfo(publicUrl: string, callsThisMachine: boolean) {
  const server = `${publicUrl}/claims/v1`;
  return {
    title: 'L-Plate claims',
    version: '1.0.0',
    description: [
      'The claims system of a synthetic motor insurer: claims on policies, and the topic `claims.status-changed`, where each status change of a claim is published. Claims and events contain no personal data; a document has what you put into it.',
      '',
      `Tokens are those of the insurer (${publicUrl}/insurer/v1). Register a claim on one of your policies and follow it with batches, a stream or webhooks. The topic itself is described at ${server}/asyncapi.yaml.`,
      '',
      ...commonText(publicUrl, unknownNames),
    ].join('\n'),
    server,
    publicUrl,
    replacements: (today: string): Replacements => ({
      '2026-03-02': today,
      'CLM-2026': `CLM-${today.slice(0, 4)}`,
      // Elsewhere no receiver is known that could be an example.
      ...(!callsThisMachine && { [exampleReceiver]: undefined }),
    }),
    tags: [
      { name: 'Claims', description: 'Register claims on your policies. The claims desk then changes their status.' },
      { name: 'Documents', description: 'Photographs and PDFs of a claim.' },
      { name: 'Events', description: 'The topic `claims.status-changed`, read over HTTP.' },
      { name: 'Webhooks', description: 'The topic, posted to a URL of yours.' },
      { name: 'Descriptions', description: 'For tools.' },
    ],
    securitySchemes: tokenSchemes(publicUrl, ['claims:read', 'claims:write']),
  };
}
