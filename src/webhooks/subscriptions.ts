import { previousHolds } from '../clients/client.ts';
import { alias, integer, nullable, text, textOf } from '../database/columns.ts';
import type { Database, Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { EventLog } from '../events/event-log.ts';
import type { Topic } from '../events/topic.ts';
import { ProblemError } from '../http/problems/problem.ts';
import type { Tokens } from '../http/requests/bearer.ts';
import type { Page } from '../http/requests/paging.ts';
import { invalid } from '../http/requests/validation.ts';
import type { Randomness } from '../randomness.ts';
import { quoted, shownValue } from '../text/shown-value.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import { instant } from '../time/clock.ts';
import { newSecret } from './call.ts';
import { type DeliveryStatus, isSubscriptionId, newSubscriptionId, type Via } from './delivery.ts';
import type { DeliveryLimits } from './delivery-limits.ts';
import { removeSubscriptionRows } from './delivery-removal.ts';
import { subscriptionNotFound } from './not-found.ts';
import {
  exampleReceiver,
  type Subscription,
  type SubscriptionDraft,
  type SubscriptionSecret,
  type SubscriptionWithSecret,
} from './schemas.ts';
import type { SubscriptionSecrets } from './signature-check.ts';
import { type SubscriptionRow, viewed, viewSubscriptions } from './subscription-view.ts';
import { isBehind, subscriptions } from './tables.ts';
import { checkUrl, findTarget, type Refusal, type Resolve, rulesFor, type TargetRules } from './target.ts';

export interface SubscriptionsOptions {
  readonly database: Database;
  readonly clocks: ClientClocks;
  readonly randomness: Randomness;
  readonly log: EventLog;
  readonly tokens: Tokens;
  readonly rules: TargetRules;
  readonly resolve: Resolve;
  readonly deliveryLimits: DeliveryLimits;
  /** How many one client may own (`subscriptionsPerClient`). */
  readonly cap: number;
}

/** The use cases of subscriptions. A client sees its own only. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /**
   * A subscription to the events that are published from now on. The secret is not shown again. If a web page of another
   * origin created it (`foreign`), it calls public addresses only.
   *
   * @throws {ProblemError} `validation-error` for a target that may not be called, `quota-exceeded`, or `invalid-token`
   *   when the client is gone
   */
  async create(
    topic: Topic,
    clientId: string,
    draft: SubscriptionDraft,
    foreign: boolean,
  ): Promise<SubscriptionWithSecret> {
    const { database, clocks, randomness, log, tokens, cap } = this.#options;
    checkMembers(draft);
    const { via = 'direct', answers = [] } = draft;
    const now = clocks.now(clientId);
    const id = newSubscriptionId(now, randomness);
    const url = draft.url === undefined ? `${inboxOrigin}/${id}` : await this.#checkTarget(draft.url, via, foreign);
    const secret = newSecret(randomness);
    const createdAt = instant(now);
    await database.write(async (sql) => {
      await tokens.lockClient(sql, clientId);
      const owned = await findOwned(sql, { clientId });
      if ((owned?.count ?? 0) >= cap) {
        const detail = `This client owns ${cap} subscriptions, which is the limit. Delete one that you no longer need.`;
        throw new ProblemError('quota-exceeded', detail);
      }
      const number = (owned?.last ?? 0) + 1;
      const takenSeq = await log.head(sql);
      const loopback = foreign ? 0 : 1;
      await insert(sql, {
        id,
        clientId,
        topic: topic.name,
        number,
        url,
        via,
        answers: answers.length > 0 ? JSON.stringify(answers) : null,
        secret,
        createdAt,
        takenSeq,
        mayBeBehind: 1,
        loopback,
      });
    });
    return { ...(await this.read(clientId, id)), secret };
  }

  /** What a relay calls is the business of its machine. */
  async #checkTarget(text: string, via: Via, foreign: boolean): Promise<string> {
    const { resolve } = this.#options;
    const rules = rulesFor(foreign, this.#options.rules);
    const url = checkUrl(text);
    if (!(url instanceof URL)) throw targetError(url, text);
    if (via === 'relay' && !foreign) return url.href;
    const targets = await findTarget(url, rules, resolve);
    if ('refused' in targets) throw targetError(targets);
    return url.href;
  }

  /** The client's subscriptions on one page, oldest first, and how many there are in all. */
  async list(
    topic: Topic,
    clientId: string,
    { page, pageSize }: Page,
  ): Promise<{ items: Subscription[]; total: number }> {
    const { database } = this.#options;
    const rows = await findAll(database.sql, { clientId, topic: topic.name });
    const shown = rows.slice((page - 1) * pageSize, page * pageSize);
    return { items: await this.#views(clientId, shown), total: rows.length };
  }

  /** @throws {ProblemError} `subscription-not-found` */
  async read(clientId: string, id: string): Promise<Subscription> {
    if (!isSubscriptionId(id)) return subscriptionNotFound(id);
    const row = await find(this.#options.database.sql, { id, clientId });
    const [view] = row ? await this.#views(clientId, [row]) : [];
    return view ?? subscriptionNotFound(id);
  }

  /**
   * The secrets, with their prefixes.
   *
   * @throws {ProblemError} `subscription-not-found`
   */
  async secrets(clientId: string, id: string): Promise<SubscriptionSecrets> {
    const { database, clocks } = this.#options;
    const row = isSubscriptionId(id) ? await findSecrets(database.sql, { id, clientId }) : undefined;
    if (!row) return subscriptionNotFound(id);
    const { secret, previousSecret, previousUntil: until } = row;
    if (previousSecret === null || until === null) return { secret };
    return { secret, previous: { secret: previousSecret, until, holds: instant(clocks.now(clientId)) < until } };
  }

  /**
   * A new secret. The one before signs beside it for a while; one that was before that has ended.
   *
   * @throws {ProblemError} `subscription-not-found`
   */
  async renewSecret(clientId: string, id: string): Promise<SubscriptionSecret> {
    const { database, clocks, randomness } = this.#options;
    if (!isSubscriptionId(id)) return subscriptionNotFound(id);
    const secret = newSecret(randomness);
    const previousUntil = instant(clocks.now(clientId) + previousHolds);
    const renewed = await database.write((sql) => renew(sql, { id, clientId, secret, previousUntil }));
    if (renewed === 0) return subscriptionNotFound(id);
    return { secret, previousValidUntil: previousUntil };
  }

  #views(clientId: string, rows: readonly SubscriptionRow[]): Promise<Subscription[]> {
    const { database, clocks, deliveryLimits } = this.#options;
    return viewSubscriptions(database.sql, clientId, rows, deliveryLimits, clocks.offset(clientId));
  }

  /**
   * Stops a web page of another origin from making a subscription call what is not public.
   *
   * @throws {ProblemError} `subscription-not-found`, `validation-error`
   */
  async checkForeign(clientId: string, id: string): Promise<void> {
    const { resolve } = this.#options;
    const rules = rulesFor(true, this.#options.rules);
    const { url: text, via } = await this.read(clientId, id);
    // Each attempt of a direct call looks again; a relay calls whatever its machine can.
    if (text === null || (via === 'direct' && !rules.foreignOrigin)) return;
    // A name without an address may have one of another kind when it is called.
    if (!('refused' in (await findTarget(new URL(text), rules, resolve)))) return;
    const detail =
      'or Sec-Fetch-Site says that a web page of another origin sent the request. It can have the service call public addresses only, and this subscription leads to none. Send the request with curl or a program, without these headers.';
    throw invalid([{ header: 'Origin', detail }]);
  }

  /**
   * Removes it, with its open deliveries. From then on no caller can see it; housekeeping removes the remaining rows.
   *
   * @throws {ProblemError} `subscription-not-found`
   */
  async remove(clientId: string, id: string): Promise<void> {
    if (!isSubscriptionId(id)) return subscriptionNotFound(id);
    await this.#options.database.write(async (sql) => {
      const removed = await markDeleted(sql, { id, clientId });
      if (removed === 0) return subscriptionNotFound(id);
      return removeSubscriptionRows(sql, id);
    });
  }
}

/** The URL of an inbox begins with it, in the log of calls. No name ends so (RFC 6761). */
const inboxOrigin = 'http://inbox.invalid';

/**
 * What goes together.
 *
 * @throws {ProblemError} `validation-error`
 */
function checkMembers({ via = 'direct', url, answers }: SubscriptionDraft): void {
  const isInbox = via === 'inbox';
  const faults = [
    !isInbox &&
      url === undefined && {
        pointer: '/url',
        detail: `is missing. Where to send events: http or https, without user and password, such as ${quoted(exampleReceiver)}. Without a receiver: "via": "inbox".`,
      },
    isInbox &&
      url !== undefined && {
        pointer: '/url',
        detail: 'goes with direct and relay: an inbox calls nobody. Leave it out.',
      },
    !isInbox &&
      answers !== undefined && {
        pointer: '/answers',
        detail: `goes with "via": "inbox" alone: with ${via} your receiver answers. Leave it out.`,
      },
  ].filter((fault) => fault !== false);
  if (faults.length > 0) throw invalid(faults);
}

/** `sent` is the URL, where its form is at fault. What an address is refused for never contains one. */
function targetError({ refused }: Refusal, sent?: string): ProblemError {
  const shown = sent === undefined ? '' : ` You sent ${shownUrl(sent)}.`;
  return invalid([{ pointer: '/url', detail: `can’t be called: ${refused}.${shown}` }]);
}

/** Only its scheme and host: user, path and query may hold a secret. */
function shownUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.host) return quoted(`${url.protocol}//${url.host}`);
  return /[@?#]/.test(text) ? 'a text not repeated here' : shownValue(text);
}

/** How many a client has. */
export async function countSubscriptions(sql: Sql, clientId: string): Promise<number> {
  return (await findOwned(sql, { clientId }))?.count ?? 0;
}

const findOwned = statement.get`
  select count(case when status <> 'deleted' then 1 end) as ${alias('count', integer)},
    max(number) as ${alias('last', nullable(integer))}
  from subscriptions where client_id = ${'clientId'}`;

const findSecrets = statement.get`
  select ${subscriptions.pick('secret', 'previousSecret', 'previousUntil')} from subscriptions
  where id = ${'id'} and client_id = ${'clientId'} and status <> 'deleted'`;

const renew = statement.run`
  update subscriptions set previous_secret = secret, previous_until = ${'previousUntil'}, secret = ${'secret'}
  where id = ${'id'} and client_id = ${'clientId'} and status <> 'deleted'`;

// Counts and times of failures begin as the schema has them.
const created = subscriptions.omit(
  'previousSecret',
  'previousUntil',
  'status',
  'deliveries',
  'openDeliveries',
  'missedEvents',
  'failingSince',
  'lastFailedAt',
  'disabledAt',
  'gone',
  'pausedUntil',
);

const insert = statement.run`insert into subscriptions ${created.values}`;

const findAll = statement.all`
  select ${viewed.of('s')},
    case when ${isBehind} then 1 else 0 end as ${alias('behind', integer)},
    d.number as ${alias('lastNumber', nullable(integer))},
    d.status as ${alias('lastStatus', nullable(textOf<DeliveryStatus>()))},
    d.kept_attempts as ${alias('lastAttempts', nullable(text))},
    d.next_attempt_at as ${alias('lastNext', nullable(text))}
  from subscriptions s
  left join deliveries d on d.subscription_id = s.id and d.number = (
    select l.number from deliveries l where l.subscription_id = s.id and l.attempts > 0 order by l.number desc limit 1)
  where s.client_id = ${'clientId'} and s.topic = ${'topic'} and s.status <> 'deleted' order by s.number`;

const find = statement.get`
  select ${viewed.of('s')},
    case when ${isBehind} then 1 else 0 end as ${alias('behind', integer)},
    d.number as ${alias('lastNumber', nullable(integer))},
    d.status as ${alias('lastStatus', nullable(textOf<DeliveryStatus>()))},
    d.kept_attempts as ${alias('lastAttempts', nullable(text))},
    d.next_attempt_at as ${alias('lastNext', nullable(text))}
  from subscriptions s
  left join deliveries d on d.subscription_id = s.id and d.number = (
    select l.number from deliveries l where l.subscription_id = s.id and l.attempts > 0 order by l.number desc limit 1)
  where s.id = ${'id'} and s.client_id = ${'clientId'} and s.status <> 'deleted'`;

const markDeleted = statement.run`
  update subscriptions set status = 'deleted'
  where id = ${'id'} and client_id = ${'clientId'} and status <> 'deleted'`;
