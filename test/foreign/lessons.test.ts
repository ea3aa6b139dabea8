import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe } from 'node:test';
import { askingEnvironment, files } from '../support/mutual-tls.ts';
import { root } from '../support/program.ts';
import { type Place, toolTest } from './support/tool-test.ts';
import { type Called, call, jdk, python } from './support/tools.ts';

/** Runs an example with what it needs to know, and sees that it solved all there are. */
async function solvesAll(
  { origin, program }: Place,
  run: (environment: Record<string, string>) => Promise<Called>,
): Promise<void> {
  const certificate = origin.startsWith('https:') && { CLIENT_CERT: files.cert, CLIENT_KEY: files.key };
  const { stdout } = await run({ ...certificate, LPLATE_URL: origin, HMAC_SECRET: program.secrets.hmacSecret });
  assert.match(stdout, /(?:^|\n)(\d+) of \1 lessons are solved\.\n$/);
}

// They wait most of the time.
describe('Lessons: the examples solve all of them', { concurrency: true }, () => {
  toolTest(['requests'], 'in Python', (place) =>
    solvesAll(place, (environment) => python([join(root, 'examples/walk_the_path.py')], { environment })),
  );

  const asking = { environment: askingEnvironment };

  toolTest(['requests'], 'in Python, with a client certificate', asking, (place) =>
    solvesAll(place, (environment) =>
      python([join(root, 'examples/walk_the_path.py')], {
        environment: { ...environment, REQUESTS_CA_BUNDLE: files.authority },
      }),
    ),
  );

  // A library of Java's runtime, so that the runtime is there.
  toolTest(['openapi-generator-cli'], 'in Java', (place) =>
    solvesAll(place, (environment) => call(jdk('java'), [join(root, 'examples/WalkThePath.java')], { environment })),
  );

  toolTest(['openapi-generator-cli'], 'in Java, with a client certificate', asking, async (place) => {
    const store = join(place.folder, 'trusted.p12');
    const password = 'changeit';
    const kept = ['-keystore', store, '-storepass', password, '-noprompt'];
    await call(jdk('keytool'), ['-importcert', '-alias', 'authority', '-file', files.authority, ...kept]);
    const trust = [`-Djavax.net.ssl.trustStore=${store}`, `-Djavax.net.ssl.trustStorePassword=${password}`];
    await solvesAll(place, (environment) =>
      call(jdk('java'), [...trust, join(root, 'examples/WalkThePath.java')], { environment }),
    );
  });
});
