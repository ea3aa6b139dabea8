// What `src/library.ts` starts, on a Node.js that is new enough.
import { load } from './program.js';

const { serveParent } = await load('child');
await serveParent();
