import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';

/** The interactive reference at `/docs`. All it needs is served from here, so it works without internet. */
export async function reference(
  server: FastifyInstance,
  documents: readonly { title: string; url: string }[],
): Promise<void> {
  await server.register(scalar, {
    routePrefix: '/docs',
    logLevel: 'silent',
    configuration: {
      pageTitle: 'Reference – L-Plate',
      sources: documents.map(({ title, url }, index) => ({
        title,
        url,
        slug: url.split('/').slice(1, 3).join('-'),
        default: index === 0,
      })),
      // No fonts, proxy, assistant or telemetry from elsewhere.
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
    } as never,
  });
}
