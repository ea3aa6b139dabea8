import type { ErasedRows, Erasing } from '../clients/owned-rows.ts';
import type { Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { NameFinder } from '../text/name-finder.ts';
import { eraseInAttempts } from './attempts.ts';
import { lockSubscription } from './locked-subscription.ts';
import { deliveries, subscriptions } from './tables.ts';

/* The erasure of a name in what is kept of deliveries: the test events of a client, and what its receivers answered. */

/** Deliveries that one step looks at. */
const batch = 200;

/** Takes a name out of deliveries of a client, behind the one that `place` names: a subscription, and a number in it. */
export async function eraseInDeliveries(sql: Sql, { clientId, name }: Erasing, place: string): Promise<ErasedRows> {
  const [at = '', before = '0'] = place.split(' ');
  const next = await findFrom(sql, { clientId, at });
  if (!next) return { changed: 0 };
  const { id } = next;
  const after = id === at ? Number(before) : 0;
  const rows = (await lockSubscription(sql, id)) ? await findSome(sql, { id, after, batch }) : [];
  let [changed, bytes] = [0, 0];
  for (const { number, payload, keptAttempts } of rows) {
    const erased = {
      payload: payload && JSON.stringify(name.eraseWithin(JSON.parse(payload))),
      keptAttempts: eraseInAttempts(keptAttempts, name),
    };
    if (erased.payload === payload && erased.keptAttempts === keptAttempts) continue;
    changed += await setTexts(sql, { id, number, ...erased });
    bytes += erased.payload.length - payload.length + erased.keptAttempts.length - keptAttempts.length;
  }
  if (changed > 0) await addBytes(sql, { id, bytes });
  const last = rows.length === batch ? rows.at(-1)?.number : lastNumber;
  return { changed, after: `${id} ${last}` };
}

/** Behind every delivery of a subscription: the next step begins with the next one. */
const lastNumber = Number.MAX_SAFE_INTEGER;

/** How many subscriptions have a name in their address. */
export async function countNamedSubscriptions(sql: Sql, { clientId, name }: Erasing): Promise<number> {
  return (await findUrls(sql, { clientId })).filter(({ url }) => isIn(url, name)).length;
}

const isIn = (text: string, name: NameFinder) => name.erase(text) !== text;

const findFrom = statement.get`
  select ${subscriptions.pick('id')} from subscriptions
  where client_id = ${'clientId'} and id >= ${'at'} order by id limit 1`;

const findSome = statement.all`
  select ${deliveries.pick('number', 'payload', 'keptAttempts')} from deliveries
  where subscription_id = ${'id'} and number > ${'after'} order by number limit ${'batch'}`;

const setTexts = statement.run`
  update deliveries set payload = ${'payload'}, kept_attempts = ${'keptAttempts'}
  where subscription_id = ${'id'} and number = ${'number'}`;

const addBytes = statement.run`
  update subscriptions set stored_bytes = stored_bytes + ${'bytes'} where id = ${'id'}`;

const findUrls = statement.all`
  select ${subscriptions.pick('url')} from subscriptions where client_id = ${'clientId'} and status <> 'deleted'`;
