import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../support/program.ts';
import { provide } from './support/install.ts';
import { makeTypes } from './support/make-types.ts';

/* npm run kits: makes the types of the kit for TypeScript anew, after a description has changed. */

provide('node');
for (const [name, text] of await makeTypes()) await writeFile(join(root, 'kits/typescript', name), text);
