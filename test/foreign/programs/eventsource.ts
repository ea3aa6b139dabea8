// A consumer by the npm package eventsource. Arguments: the topic's address, a token, how many events.
import { EventSource } from 'eventsource';

const [address = '', token = '', count = ''] = process.argv.slice(2);
const came: { id: string; type: string }[] = [];
const source = new EventSource(address, {
  fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, Authorization: `Bearer ${token}` } }),
});
source.addEventListener('error', (error) => {
  throw new Error(`${error.code} ${error.message}`);
});
source.addEventListener('message', ({ data, lastEventId }) => {
  came.push({ id: lastEventId, type: JSON.parse(data).eventType });
  if (came.length < Number(count)) return;
  source.close();
  console.log(JSON.stringify(came));
});
