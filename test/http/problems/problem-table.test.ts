import { equal, match, rejects } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { SystemParts } from '../../../src/app.ts';
import { describeInterface } from '../../../src/http/descriptions/description.ts';
import { ProblemError, type ProblemIdentifier } from '../../../src/http/problems/problem.ts';
import type { ProblemEntry } from '../../../src/http/problems/problem-entry.ts';
import type { ProblemTable } from '../../../src/http/problems/problem-table.ts';
import { restInterface } from '../../../src/http/rest.ts';
import type { System } from '../../../src/system.ts';
import { onSqlite } from '../../support/engines.ts';
import { type LPlate, startLPlate } from '../../support/lplate.ts';

const entry: ProblemEntry = {
  status: 409,
  title: 'The garage is closed',
  meaning: 'No car can come in now.',
  cause: 'It is night.',
  remedy: 'Come back in the morning.',
  example: null,
};

// One that the product does not know, so not one of the closed union.
const closed = 'garage-closed' as ProblemIdentifier;

/** A system of this test with one endpoint, which refuses every call. */
function garage({ context, clients }: SystemParts, problems: object): System {
  return {
    name: 'garage',
    problems: problems as Partial<ProblemTable>,
    addresses: [],
    documents: [],
    async register(server) {
      await server.register(
        async (api) => {
          restInterface(api, context, clients.tokens);
          const { publicUrl } = context.config;
          const server = `${publicUrl}/garage/v1`;
          const about = { title: 'Garage', version: '1.0.0', description: 'A garage.', server, publicUrl };
          const describe = await describeInterface(api, { ...about, tags: [], securitySchemes: {} }, context.clock);
          const schema = { response: { 200: { type: 'object', properties: {} } } };
          api.get('/cars', { schema, config: { success: 'The cars.', problems: [closed] } }, () => {
            throw new ProblemError(closed, 'It is 3 o’clock. Come back at 8.');
          });
          describe('This description');
        },
        { prefix: '/garage/v1' },
      );
    },
  };
}

onSqlite((engine) => {
  async function startWith(t: TestContext, problems: object): Promise<LPlate> {
    return startLPlate(t, engine, {}, undefined, { extraSystems: (parts) => [garage(parts, problems)] });
  }

  test('Design, problems: what a system brings is answered, explained on a page, listed and described', async (t) => {
    const lplate = await startWith(t, { [closed]: entry });
    const answer = await fetch(`${lplate.url}/garage/v1/cars`);
    equal(answer.status, 409);
    const { type, title } = (await answer.json()) as { type: string; title: string };
    equal(type, `${lplate.config.publicUrl}/problems/garage-closed`);
    equal(title, entry.title);
    const text = async (path: string) => (await fetch(lplate.url + path)).text();
    match(await text('/problems/garage-closed'), /Come back in the morning/);
    match(await text('/problems'), /garage-closed/);
    match(await text('/garage/v1/openapi.yaml'), /The garage is closed/);
  });

  test('Design, problems: an identifier with two entries stops the start, also one that is shared', async (t) => {
    for (const identifier of ['duplicate-policy', 'not-found']) {
      await rejects(
        startWith(t, { [closed]: entry, [identifier]: entry }),
        new RegExp(`${identifier} has two entries`),
      );
    }
  });

  test('Design, problems: a route that names an identifier without an entry stops the start', async (t) => {
    await rejects(startWith(t, {}), /garage-closed, which has no entry/);
  });

  test('Design, problems: a misspelt identifier does not compile', () => {
    // @ts-expect-error: it is duplicate-policy
    equal(new ProblemError('duplicat-policy', 'Typed wrong.').identifier, 'duplicat-policy');
  });
});
