import { request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answered, Call } from './child-messages.ts';

/** Makes a call to the service that runs in this process, by its interfaces as everybody does. */
export async function callOwn(
  url: string,
  { id, after, method, path, headers, body, encoding }: Call,
): Promise<Answered> {
  await pause(after);
  return new Promise((resolve) => {
    const noAnswer = ({ message }: Error) => resolve({ id, noAnswer: message });
    const request = url.startsWith('https:') ? requestByHttps : requestByHttp;
    // Without an agent, the connection ends with the answer. Whose certificate it is need not be asked: it is ours.
    const options = { method, headers, agent: false as const, rejectUnauthorized: false };
    const sent = request(url + path, options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer
        .on('error', noAnswer)
        .on('end', () => resolve({ id, status: answer.statusCode ?? 0, headers: answer.headers, body: text }));
    });
    sent.on('error', noAnswer).end(body, encoding);
  });
}
