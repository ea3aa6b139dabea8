import { keptCredentials } from './api/kept-credentials.ts';

/*
 * Runs on the reference page, before Scalar does. Where this browser has a client, the reference shows the descriptions that
 * are made for it: with registration numbers that nobody else sends, and addresses that say whose call it is.
 */

const own = document.currentScript as HTMLScriptElement;

/** The prefix of the client that this browser keeps, if the service still has it, and the page has no prefix yet. */
async function prefix(): Promise<string> {
  const client = keptCredentials();
  if (!client || location.pathname.startsWith('/for/')) return '';
  const wanted = `/for/${client.clientId}`;
  const answer = await fetch(`${wanted}/docs`, { method: 'HEAD' }).catch(() => undefined);
  return answer?.ok ? wanted : '';
}

async function show(): Promise<void> {
  const found = await prefix();
  const { dataset } = document.getElementById('api-reference') as HTMLElement;
  const configuration = JSON.parse(dataset.configuration ?? '{}');
  for (const source of configuration.sources) source.url = found + source.url;
  dataset.configuration = JSON.stringify(configuration);
  const scalar = document.createElement('script');
  scalar.src = own.dataset.src ?? '';
  own.after(scalar);
}

void show();
