import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'node:test';
import { asyncapi, openapi, type Place, toolTest } from './support/tool-test.ts';
import { node, python } from './support/tools.ts';

/* Nobody who checks a description before they use it is told of an error. Warnings are matters of taste. */

/** Fetches those of some paths, and those that a kit with a client's own addresses is for. */
async function fetched({ program, document }: Place, paths: Readonly<Record<string, string>>): Promise<string[]> {
  const { id } = await program.client();
  const files = Object.entries(paths).flatMap(([name, path]) => [
    document(path, `${name}.yaml`),
    document(`/for/${id}${path}`, `${name}-for-client.yaml`),
  ]);
  return Promise.all(files);
}

describe('Descriptions: every OpenAPI and AsyncAPI description passes without an error', () => {
  toolTest(['@stoplight/spectral-cli'], 'Spectral, rulesets spectral:oas and spectral:asyncapi', async (place) => {
    const files = await fetched(place, { ...openapi, asyncapi });
    const ruleset = join(place.folder, 'spectral.yaml');
    await writeFile(ruleset, 'extends: ["spectral:oas", "spectral:asyncapi"]\n');
    await node('@stoplight/spectral-cli/dist/index.js', ['lint', '--ruleset', ruleset, ...files]);
  });

  toolTest(['@redocly/cli'], 'Redocly, rules "recommended"', async (place) => {
    // Not AsyncAPI: it refuses a server's title and a channel without address, which AsyncAPI 3.0 defines.
    const files = await fetched(place, openapi);
    await node('@redocly/cli/bin/cli.js', ['lint', '--extends', 'recommended', ...files]);
  });

  toolTest(['openapi-spec-validator'], 'openapi-spec-validator', async (place) => {
    await python(['-m', 'openapi_spec_validator', ...(await fetched(place, openapi))]);
  });
});
