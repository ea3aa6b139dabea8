import { once } from 'node:events';
import { request } from 'node:https';

/* Calls each address on this machine, and prints whether its certificate was taken or refused. */

for (const address of process.argv.slice(2)) {
  const call = request(address, {
    agent: false,
    lookup: (_name, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]),
  }).end();
  try {
    await once(call, 'response');
    console.log('taken');
  } catch (error) {
    const { message } = error as Error;
    console.log(/permitted subtree|path length/.test(message) ? 'refused' : message);
  }
  call.destroy();
}
