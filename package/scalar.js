// In the bundle in place of Scalar's plugin: it serves the script, as `build.js` has taken it from there.
import { readFile } from 'node:fs/promises';

const script = new URL('../scalar.js', import.meta.url);

export default async function scalar(server) {
  server.get('/reference/js/scalar.js', () => readFile(script));
}
