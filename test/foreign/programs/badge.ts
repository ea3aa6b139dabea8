import { readFile } from 'node:fs/promises';
import { verifyJWT } from 'did-jwt';
import { Resolver } from 'did-resolver';
import { getResolver } from 'key-did-resolver';

/* Checks badges with did-jwt: the files are arguments. Prints what became of each as one line of JSON. */

const resolver = new Resolver(getResolver());
const outcomes: string[] = [];
for (const path of process.argv.slice(2)) {
  try {
    await verifyJWT(await readFile(path, 'utf8'), { resolver });
    outcomes.push('taken');
  } catch (error) {
    outcomes.push((error as Error).message);
  }
}
console.log(JSON.stringify(outcomes));
