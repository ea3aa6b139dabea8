import { commonText } from '../http/descriptions/text.ts';

/** Writes what the description of REST v2 says of the interface as a whole. */
export function openApiInfo(publicUrl: string) {
  return {
    title: 'L-Plate vehicle registry',
    version: '2.0.0',
    description: [
      'What the registry knows about a vehicle, by its registration number. Every vehicle is fictional.',
      '',
      `This is the successor of the SOAP service v1 (${publicUrl}/vehicle-registry/v1). It returns the same data: the elements of v1 as members in snake_case, \`fuel_type\` in lowercase. A member that does not apply to a vehicle is absent. You need no token.`,
      '',
      ...commonText(publicUrl, 'Query parameters and bodies are ignored, and named in the header `L-Plate-Ignored`.'),
    ].join('\n'),
    server: `${publicUrl}/vehicle-registry/v2`,
    publicUrl,
    tags: [
      { name: 'Registry data', description: 'What the registry knows about a vehicle.' },
      { name: 'This description', description: 'For tools.' },
    ],
    securitySchemes: {},
  };
}
