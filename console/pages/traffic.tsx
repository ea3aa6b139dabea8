import { call, read } from '../api/call.ts';
import { credentials } from '../api/session.ts';
import type { Exchange } from '../api/types.ts';
import { words } from '../model/duration.ts';
import { archiveQuery } from '../model/har.ts';
import { NeedsClient, Page } from '../parts/page.tsx';
import { useBatched } from '../state/batched.ts';
import { connection, exchanges, exchangesKnown, me } from '../state/learner.ts';
import { route } from '../state/route.ts';
import { ExchangeBrowser } from './traffic/browser.tsx';
import type { ExchangeSource } from './traffic/source.ts';

/** Milliseconds between two pictures of the list. */
const listEvery = 200;

const exchangePath = (id: string) => `/range/v1/me/exchanges/${encodeURIComponent(id)}`;

const mine: ExchangeSource = {
  title: 'Traffic',
  path: '/traffic',
  note: () => {
    const ahead = me.value?.clock.aheadSeconds ?? 0;
    return ahead > 0 ? `Times here are the real time. Your clock is ${words(ahead)} ahead of it.` : undefined;
  },
  load: (id) => read<Exchange>(exchangePath(id)),
  curl: async (id) => (await call('GET', `${exchangePath(id)}/curl`)).text,
  har: async (id) => (await call('GET', `${exchangePath(id)}/har`)).text,
  archive: async (filter) => (await call('GET', `/range/v1/me/exchanges.har${archiveQuery(filter)}`)).text,
};

/** The calls of the learner as the service saw them. */
export function Traffic() {
  const client = credentials.value;
  if (client) return <Mine key={client.clientId} />;
  return (
    <Page title="Traffic" about="Your calls as the service saw them, as they come.">
      <NeedsClient>{null}</NeedsClient>
    </Page>
  );
}

function Mine() {
  const shown = useBatched(exchanges, listEvery);
  const { rest, query } = route.value;
  return (
    <ExchangeBrowser
      source={mine}
      exchanges={shown}
      state={exchangesKnown.value || connection.value === 'offline' ? connection.value : 'connecting'}
      rest={rest}
      query={query}
    />
  );
}
