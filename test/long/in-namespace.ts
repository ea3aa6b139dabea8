import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { Receiver } from '../support/receiver.ts';

/*
 * Run in a network of its own: a receiver, and a relay beside it. The one way to L-Plate is a socket in the file system,
 * which a port here leads to. Writes each call that the receiver got as a line of JSON, and what the relay says as it is.
 */

const [socket = '', receiverPort = '', servicePort = '', file = '', ...args] = process.argv.slice(2);

const receiver = await Receiver.open({ after() {} }, { port: Number(receiverPort) });
receiver.answer = (call) => {
  console.log(JSON.stringify(call));
  return 204;
};

createServer((here) => {
  const there = connect(socket);
  for (const each of [here, there]) each.on('error', () => [here, there].map((one) => one.destroy()));
  here.pipe(there).pipe(here);
}).listen(Number(servicePort), '127.0.0.1', () => {
  const env = { ...process.env, LPLATE_URL: `http://127.0.0.1:${servicePort}` };
  spawn(file, args, { env, stdio: 'inherit' }).on('exit', () => process.exit(1));
});
