import type { AtEnd, ErasedRows, Erasing } from '../../clients/owned-rows.ts';
import type { Sql } from '../../database/database.ts';
import { lockRows } from '../../database/lock-order.ts';
import { statement } from '../../database/statement.ts';
import type { NameFinder } from '../../text/name-finder.ts';
import { storable } from '../../text/storable.ts';
import { nobody, trainerId } from './attribution.ts';
import type { Composed } from './exchange.ts';
import type { Body, Header } from './schemas.ts';
import { ByteChanges } from './stored-bytes.ts';
import { exchanges } from './tables.ts';

/*
 * The erasure of a name in the log. The exchanges stay, and what is of the protocol in them: the name is taken out of the
 * texts that somebody wrote. Those of nobody are looked at too, as far as they came from where the client asked for it, and
 * those of the trainer that concern the client.
 */

/** Exchanges that one step looks at: each may have two bodies of 16 KiB. */
const batch = 20;

/** Takes a name out of exchanges behind the one with the id `after`; those of the client come first, `-` begins the others. */
export async function eraseInExchanges(
  sql: Sql,
  { clientId, name, address }: Erasing,
  after: string,
  atEnd: AtEnd,
): Promise<ErasedRows> {
  const isOfOthers = after.startsWith('-');
  const others = { nobody, address, trainer: trainerId, part: `%/${clientId}/%` };
  const rows = isOfOthers
    ? await lockOthers(sql, { ...others, after: after.slice(1), batch })
    : await lockOwn(sql, { clientId, after, batch });
  const bytes = new ByteChanges();
  let changed = 0;
  for (const row of rows) {
    const erased = {
      path: storable(name.erase(row.path)),
      summary: JSON.stringify(summaryWithout(JSON.parse(row.summary), name)),
      details: JSON.stringify(detailsWithout(JSON.parse(row.details), name)),
    };
    const lengthOf = ({ path, summary, details }: typeof erased) =>
      path.length + Buffer.byteLength(summary) + Buffer.byteLength(details);
    if (erased.path === row.path && erased.summary === row.summary && erased.details === row.details) continue;
    const more = lengthOf(erased) - lengthOf(row);
    changed += await setTexts(sql, { id: row.id, ...erased, more });
    bytes.added(row.address, more);
  }
  atEnd((end) => bytes.note(end));
  const last = rows.length === batch ? rows.at(-1)?.id : undefined;
  if (isOfOthers) return last === undefined ? { changed } : { changed, after: `-${last}` };
  return { changed, after: last ?? '-' };
}

function summaryWithout(summary: Composed['summary'], name: NameFinder): Composed['summary'] {
  const { notes, delivery } = summary;
  return {
    ...summary,
    url: name.erase(summary.url),
    remarks: summary.remarks.map((each) => name.erase(each)),
    ...(notes && {
      notes: notes.map((note) => ({
        ...note,
        text: name.erase(note.text),
        ...(note.header !== undefined && { header: name.erase(note.header) }),
        ...(note.names && { names: note.names.map((each) => name.erase(each)) }),
      })),
    }),
    ...(delivery && { delivery: { ...delivery, error: delivery.error && name.erase(delivery.error) } }),
  };
}

function detailsWithout(details: Composed['details'], name: NameFinder): Composed['details'] {
  const { request, response, tokens } = details;
  return {
    ...details,
    request: { ...request, ...messageWithout(request, name) },
    response: { ...response, ...messageWithout(response, name) },
    tokens: name.eraseWithin(tokens),
  };
}

function messageWithout({ headers, body }: { headers: Header[]; body?: Body }, name: NameFinder) {
  return {
    headers: headers.map((each) => ({ name: name.erase(each.name), value: name.erase(each.value) })),
    ...(body && { body: bodyWithout(body, name) }),
  };
}

function bodyWithout(body: Body, name: NameFinder): Body {
  const text = name.erase(body.text);
  return text === body.text ? body : { ...body, text, encoding: 'utf-8', complete: false };
}

const read = exchanges.pick('id', 'path', 'summary', 'details', 'address');

// By what no index has: in the order of the primary key the calls of all clients would be read.
const lockOwn = statement.all`
  select ${read} from exchanges
  where client_id = ${'clientId'} and id > ${'after'} order by id || '' limit ${'batch'} ${lockRows}`;

const lockOthers = statement.all`
  select ${read} from exchanges
  where client_id in (${'nobody'}, ${'trainer'}) and id > ${'after'}
    and (client_id = ${'nobody'} and address = ${'address'} or client_id = ${'trainer'} and path || '/' like ${'part'})
  order by id || '' limit ${'batch'} ${lockRows}`;

const setTexts = statement.run`
  update exchanges set path = ${'path'}, summary = ${'summary'}, details = ${'details'}, size = size + ${'more'}
  where id = ${'id'}`;
