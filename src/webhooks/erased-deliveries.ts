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
  // Without a number: all of that subscription were looked at.
  const [at = '', before] = place.split(' ');
  const id = before === undefined ? (await findNext(sql, { clientId, after: at }))?.id : at;
  if (id === undefined) return { changed: 0 };
  const after = Number(before ?? 0);
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
  return { changed, after: rows.length === batch ? `${id} ${rows.at(-1)?.number}` : id };
}

/** How many subscriptions have a name in their address. */
export async function countNamedSubscriptions(sql: Sql, { clientId, name }: Erasing): Promise<number> {
  return (await findUrls(sql, { clientId })).filter(({ url }) => isIn(url, name)).length;
}

const isIn = (text: string, name: NameFinder) => name.erase(text) !== text;

const findNext = statement.get`
  select ${subscriptions.pick('id')} from subscriptions
  where client_id = ${'clientId'} and id > ${'after'} order by id limit 1`;

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
