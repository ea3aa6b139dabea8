import { claimStages } from '../../../claims/index.ts';
import { retention } from '../../../events/retention.ts';
import { pageOf } from '../../../http/requests/paging.ts';
import { day } from '../../../time/units.ts';
import { keptBody } from '../../exchanges/call.ts';
import { createPolicy, listClaims, readClaim, readTopic, registerClaim } from '../calls.ts';
import { type Entry, isFiltered, jsonOf, type SentEvent } from '../entry.ts';
import type { History } from '../history.ts';
import type { LessonTopic, Verdict } from '../lesson.ts';
import {
  bringsNews,
  bringsOldOnly,
  distinctEvents,
  heldBack,
  isRead,
  positionOf,
  readBefore,
  sentEventId,
  sentStreamHeader,
} from '../topic-reads.ts';

/*
 * To read events so that none is lost, none counts twice, and each claim keeps its order.
 */

/** Milliseconds from which on a long poll has waited. */
const waited = 1000;

/** Milliseconds between two batches that are a break. */
const breakLasts = 10_000;

/** Milliseconds within which two claims are registered together. */
const together = 60_000;

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

const isReadOfClaims = ({ call }: Entry) => call === listClaims || call === readClaim;

const isStream = ({ kind }: Entry) => kind === 'stream';

const isFromOldest = (entry: Entry) => (positionOf(entry) ?? 'earliest') === 'earliest';

const differentIds = ({ events }: Entry) => new Set(events.map(({ eventId }) => eventId)).size;

/** Tells whether an event came more than once in it, and the log has all of it. */
const hasDuplicates = (entry: Entry) => differentIds(entry) < entry.events.length && entry.answer.bytes <= keptBody;

/** Tells whether all pages of the list of all claims are among these, each of the same size. */
function isWholeList(entries: readonly Entry[]): boolean {
  const pages = entries.filter((each) => each.call === listClaims && each.status === 200 && !isFiltered(each));
  return pages.some((last) => {
    const { page, pageSize } = pageIn(last);
    const upToIt = pages.map(pageIn).filter((each) => each.pageSize === pageSize && each.page <= page);
    const isLast = !last.answer.headers.link?.includes('rel="next"');
    return isLast && new Set(upToIt.map((each) => each.page)).size === page;
  });
}

const pageIn = ({ query }: Entry) =>
  pageOf(Object.fromEntries([...query].map(([name, value]) => [name, Number(value)])));

const expired = ({ problem }: Entry) => problem === 'cursor-expired';

/** The states that a claim went through, as far as these events tell. */
function statesOf(claimId: string, events: readonly SentEvent[]): string[] {
  const own = events.filter((event) => event.claimId === claimId);
  return own.flatMap(({ previousStatus, newStatus }, at) => (at === 0 ? [previousStatus, newStatus] : [newStatus]));
}

/** Tells whether an event of one of two claims came between two of the other. */
function areMixed(one: string, other: string, events: readonly SentEvent[]): boolean {
  const order = events.map(({ claimId }) => claimId);
  return (
    one !== other && order.indexOf(one) < order.lastIndexOf(other) && order.indexOf(other) < order.lastIndexOf(one)
  );
}

function polled(entry: Entry, history: History): Verdict {
  const { call, at, endedAt, drills, end, events, query, answer } = entry;
  if (isReadOfClaims(entry) && query.has('wait'))
    return 'This address does not wait: it has the claims as they are now. The topic of their events waits.';
  if (call !== readTopic) return false;
  const [wait, lasted] = [Number(query.get('wait')), endedAt - at];
  if (isStream(entry)) return streamedInstead(entry, history);
  if (/"parameter":"wait"/i.test(answer.text)) return 'Your wait was refused; the answer says why.';
  if (!(wait > 0)) return polledWithoutWait(entry);
  if (end === 'cut' && drills.length === 0)
    return `You hung up after ${seconds(lasted)}, and the service was to wait for up to ${wait} s. Let your client be as patient.`;
  if (!isRead(entry)) return false;
  if (events.length === 0) {
    return (
      heldBack(entry) ||
      `Nothing happened in the ${seconds(lasted)} that the service waited. Let a claim change in that time.`
    );
  }
  if (lasted >= waited) return true;
  return 'The events were there already, or came at once, so there was nothing to wait for. Read all there are first, then wait for the next one.';
}

/** A stream in the place of a poll: the read before it was one, or it names a wait itself. */
function streamedInstead({ query, end }: Entry, history: History): Verdict {
  if (query.has('wait')) return 'This was a stream, which has no wait: it is open until you close it. Ask for a batch.';
  if (end === 'open' || history.last(({ call }) => call === readTopic)?.query.has('wait') !== true) return false;
  return 'This was a stream, which is another way to get news. Ask for a batch, and have the service wait for it.';
}

/** News that was asked for while there was none. */
function polledWithoutWait(entry: Entry): Verdict {
  const isInVain = isRead(entry) && !isStream(entry) && entry.events.length === 0;
  return isInVain && 'There was no event, and the service did not wait for one. Have it wait until there is one.';
}

function streamed(entry: Entry): Verdict {
  const { call, at, endedAt, end, stream, sent } = entry;
  if (isReadOfClaims(entry) && /event-stream/i.test(sent.headers.accept ?? ''))
    return 'You asked for a stream of claims, and there is none. The topic of their events has a stream.';
  if (call !== readTopic) return false;
  if (isStream(entry)) {
    if ((stream?.events ?? 0) > 0) return true;
    if (end === 'open') return false;
    return (
      heldBack(entry) ||
      `Your stream ended after ${seconds(endedAt - at)}, before it had brought an event. Let a claim change while it is open, or begin where there are events.`
    );
  }
  const sentence = isForStream(entry) && notStreamed(entry);
  return sentence || (isRead(entry) && 'You read a batch. A header asks for the stream.');
}

/** Tells whether a call looks as if somebody wants a stream. */
function isForStream({ sent, query }: Entry): boolean {
  const { accept = '', 'content-type': contentType = '', 'last-event-id': lastEventId } = sent.headers;
  return /stream|event/i.test(accept + contentType) || lastEventId !== undefined || query.has('stream');
}

/** Why no stream came. */
function notStreamed({ status, end, sent }: Entry): Verdict {
  const { accept = '', 'content-type': contentType = '' } = sent.headers;
  if (/text\/event-stream/i.test(accept)) {
    if (end !== 'answered') return false;
    if (status >= 400) return `Your stream was refused with ${status}; its answer says why.`;
    return 'Your call takes JSON as well, so a batch came. Ask for the stream alone.';
  }
  if (contentType.includes('event-stream'))
    return 'You named a stream in Content-Type, which says what you send. Another header says what you want to get.';
  return 'You seem to want a stream, but your call did not ask for one. The media type of server-sent events does, in a header.';
}

function cameTwice(entry: Entry): Verdict {
  if (hasDuplicates(entry)) return true;
  if (!isRead(entry) || entry.events.length === 0 || entry.end === 'open') return false;
  if (differentIds(entry) === entry.events.length) return 'Each of these events came once. Read more of them.';
  return `Events came more than once, but the answer is longer than the ${keptBody / 1024} KiB that the log keeps. Read fewer at once.`;
}

function resumed(entry: Entry, history: History): Verdict {
  return resumedOnce(entry, history) || (isRead(entry) && begunAnew(entry, history));
}

/** What is said of a read from an end of the topic. */
function begunAnew(entry: Entry, history: History): string | false {
  const latest = history.last((each) => isRead(each) || expired(each));
  if (!latest || expired(latest)) return false;
  if (positionOf(entry) === 'latest') return fromLatest(entry);
  if (isStream(entry) || !isFromOldest(entry)) return false;
  const had = distinctEvents(history.all(isRead));
  if (!entry.events.some(({ eventId }) => had.some((each) => each.eventId === eventId))) return false;
  return 'You began at the oldest event again, so you get what you had already. Read on from the last cursor.';
}

const fromLatest = (entry: Entry) =>
  isStream(entry)
    ? 'You opened the stream at latest, so it does not bring what happened in the break. Go on after the last event that you got.'
    : 'You began at latest again, so you do not get what happened since your last read. Read on from the last cursor that you got.';

function resumedOnce(entry: Entry, history: History): Verdict {
  if (!isRead(entry)) return sentEventId(entry, history);
  const before = readBefore(entry, history);
  const hasEvents = (each: Entry) => isRead(each) && each.events.length > 0;
  if (before && (hasEvents(before) || history.before(before).has(hasEvents)))
    return resumedFrom(before, entry, history);
  if (before && bringsNews(entry, before)) {
    if (history.has(hasEvents)) return false;
    return 'You went on at the right place, but you had read no event before. Read some, then take a break, and go on again.';
  }
  const sentence = sentStreamHeader(entry);
  if (sentence) return sentence;
  const latest = history.last((each) => isRead(each) || expired(each));
  if (!latest?.events.length) return false;
  if (isStream(entry)) {
    if (!isStream(latest) || latest.stream?.end === 'drill') return false;
    if (isFromOldest(entry))
      return 'You opened the stream at the oldest event again, so it brings what you had already. Go on after the last one that you got.';
  } else if (entry.at - latest.endedAt < breakLasts) return false;
  return positionOf(entry) === 'latest' && fromLatest(entry);
}

/** From the cursor of a read before. */
function resumedFrom(before: Entry, entry: Entry, history: History): Verdict {
  const latest = history.last((each) => isRead(each) && !isStream(each)) ?? before;
  const pause = Math.max(0, entry.at - latest.endedAt);
  const isBreak = isStream(before) || pause >= breakLasts;
  if (bringsNews(entry, before) && !bringsOldOnly(entry, history)) {
    if (isBreak) return true;
    return `You went on at the right place, but after ${seconds(pause)} without a read. A break is ten seconds or more.`;
  }
  if (entry.end === 'open') return false;
  if (!isBreak) return `You read on after ${seconds(pause)}. A break is ten seconds or more.`;
  if (entry.events.length > 0)
    return 'You had all of these events already: the place where you stopped is a later one.';
  return (
    heldBack(entry) ||
    'You went on at the right place, but nothing has happened since. Let a claim change during the break.'
  );
}

const isToBeRejected = ({ call, status, sent }: Entry) =>
  call === registerClaim && status === 201 && jsonOf(sent)?.outcome === 'REJECTED';

const isNewer = ({ drills, events }: Entry) => drills.includes('newer-events') && events.length > 0;

function readNewer(entry: Entry): Verdict {
  if (!isRead(entry)) return false;
  if (isNewer(entry)) return true;
  if (entry.end === 'open') return false;
  if (entry.events.length > 0)
    return 'These events are of the old version: the drill newer-events was not on when you read them.';
  return heldBack(entry) || 'This read brought no event. Let a claim change while the drill is on, and read on.';
}

/** Read on from where events of a newer version ended. */
function wentOn(entry: Entry, history: History): Verdict {
  const newer = history.last(isNewer);
  if (!newer || !isRead(entry) || entry.end === 'open') return false;
  const before = history.last((each) => isNewer(each) && each.cursors.includes(positionOf(entry) ?? ''));
  if (before) {
    if (bringsNews(entry, before)) return true;
    return (
      entry.events.length === 0 &&
      (heldBack(entry) ||
        'You went on at the right place, but nothing has happened since. Let a claim change, and read on again.')
    );
  }
  const sentence = sentStreamHeader(entry);
  if (sentence) return sentence;
  if (positionOf(entry) === 'latest') {
    if (!history.since(newer).every((each) => positionOf(each) !== 'latest')) return false;
    return 'You began at latest, so you can miss what happened after the newer events. Go on where they end.';
  }
  if (!newer.events.some(({ eventId }) => entry.events.some((each) => each.eventId === eventId))) return false;
  if (isFromOldest(entry))
    return 'You began at the oldest event again. Ignore the member that you don’t know, and go on after the newer events.';
  if (positionOf(entry) !== positionOf(newer)) return false;
  return 'You read the newer events again from the same place, as a program does that failed on them. Ignore the member that you don’t know, and go on after them.';
}

const isWhole = (claimId: string, events: readonly SentEvent[]) =>
  statesOf(claimId, events).length === claimStages.length;

/** Tells whether each claim of which there is an event has come to its end. */
function areOver(events: readonly SentEvent[]): boolean {
  const closed = new Set(events.filter(({ newStatus }) => newStatus === 'CLOSED').map(({ claimId }) => claimId));
  return events.every(({ claimId }) => closed.has(claimId));
}

/** A claim to be approved and one to be rejected whose events were read in part, or that were asked for themselves. */
function notReadToEnd(entry: Entry, history: History): string | false {
  const isToBeApproved = (each: Entry) => each.call === registerClaim && each.status === 201 && !isToBeRejected(each);
  if (!history.has(isToBeRejected) || !history.has(isToBeApproved)) return false;
  if (isReadOfClaims(entry) && entry.status === 200)
    return 'A claim shows only the state that it has now. The events tell all that it went through.';
  return (
    isRead(entry) &&
    entry.events.length > 0 &&
    !areOver(distinctEvents([...history.all(isRead), entry])) &&
    'Not all of your claims are CLOSED in the events that you read. Read on until they are.'
  );
}

/** Two claims that were both approved. */
function bothApproved(entry: Entry, history: History): string | false {
  if (!isRead(entry) || !entry.events.some(({ newStatus }) => newStatus === 'CLOSED')) return false;
  const read = distinctEvents([...history.all(isRead), entry]);
  const own = new Set(entry.events.map(({ claimId }) => claimId));
  const approved = [...own].filter((claimId) => statesOf(claimId, read).includes('APPROVED'));
  if (!approved.some((one) => approved.some((other) => areMixed(one, other, read))) || !areOver(read)) return false;
  return 'You read two claims that were approved. One has to be rejected.';
}

/** The events of two claims, one approved and one rejected. */
function cameMixed(entry: Entry, history: History): Verdict {
  if (isToBeRejected(entry)) {
    const before = history.last(({ call, status }) => call === registerClaim && status === 201);
    return (
      before !== undefined &&
      isToBeRejected(before) &&
      entry.at - before.at < together &&
      'Both of your claims will be rejected. One of them is to be approved.'
    );
  }
  if (!isRead(entry)) return false;
  const read = distinctEvents([...history.all(isRead), entry]);
  const ended = (how: string) => read.filter(({ newStatus }) => newStatus === how).map(({ claimId }) => claimId);
  const mixed = ended('REJECTED').flatMap((one) =>
    ended('APPROVED').flatMap((other) => (areMixed(one, other, read) ? [[one, other]] : [])),
  );
  if (mixed.length > 0) return mixed.some((pair) => pair.every((claimId) => isWhole(claimId, read)));
  const isAim = (claimId: string) => (each: Entry) => isToBeRejected(each) && jsonOf(each.answer)?.claimId === claimId;
  const closed = entry.events.filter(({ claimId, newStatus }) => newStatus === 'CLOSED' && isWhole(claimId, read));
  if (!closed.some(({ claimId }) => history.has(isAim(claimId))) || !areOver(read)) return false;
  return 'You have all events of a rejected claim, and none of an approved one came between them. Let both run at the same time.';
}

/** Milliseconds by the client's clock between the tokens of two reads. NaN where one is not there. */
const apart = (one: Entry | undefined, other: Entry) =>
  ((other.token?.iat ?? Number.NaN) - (one?.token?.iat ?? Number.NaN)) * 1000;

/** A cursor of a week ago by the client's clock that was read on from: it had not expired. */
function stillKept(entry: Entry, history: History): Verdict {
  if (!isRead(entry) || entry.end === 'open') return false;
  const away = apart(readBefore(entry, history), entry);
  if (!(away > retention)) {
    const days = Math.floor(away / day);
    return days > 1 && `Your cursor has not expired: you were away for ${days} days. Stay away for more than 7.`;
  }
  return entry.events.length === 0
    ? 'This cursor had not expired: there is no event after it. Let a claim change, and move your clock on by another eight days.'
    : 'This cursor had not expired: the events after it came with the move of your clock, or later. Move it on by another eight days.';
}

/** The first read after more than a week, but from no place that was known then. */
function cameWithoutCursor(entry: Entry, history: History): string | false {
  if (!isRead(entry) || !(isFromOldest(entry) || positionOf(entry) === 'latest')) return false;
  const latest = history.last((each) => isRead(each) && givesCursor(each));
  return (
    apart(latest, entry) > retention &&
    'You came back after more than 7 days, but without the cursor that you had. Send it.'
  );
}

const isExpiredAgain = (entry: Entry, history: History) =>
  expired(entry) && history.has((each) => expired(each) && positionOf(each) === positionOf(entry));

/** The last refusal of a cursor that was not refused before. To try that cursor again changes nothing. */
const lastExpiry = (history: History) =>
  history.last((each) => expired(each) && !isExpiredAgain(each, history.before(each)));

const givesCursor = ({ end, cursors }: Entry) => end === 'open' || cursors.length > 0;

function cursorRenewed(entry: Entry, history: History): Verdict {
  if (isExpiredAgain(entry, history))
    return 'A cursor that has expired stays so. The text of the answer says where to catch up.';
  return isRead(entry) && givesCursor(entry) && history.has(expired);
}

const partOfList = 'You read only some of the claims since the new cursor. Read the whole list.';

function listRead(entry: Entry, history: History): Verdict {
  const refusal = lastExpiry(history);
  if (!refusal || entry.call !== listClaims) return false;
  const since = history.since(refusal);
  const fresh = since.find(givesCursor);
  if (fresh && entry.status === 200 && isFiltered(entry)) return partOfList;
  if (fresh) return isWholeList([...history.since(fresh), entry]);
  if (!isWholeList([...since, entry])) return false;
  return 'You read the claims before you had a new cursor: what changes between the two is lost.';
}

/** After `cursor-expired`: a new cursor, the list, and then what follows the cursor. */
function resynchronised(entry: Entry, history: History): Verdict {
  const refusal = lastExpiry(history);
  if (!refusal) return false;
  const since = history.since(refusal);
  if (entry.call === listClaims) {
    const stream = since.findLast(({ end }) => end === 'open');
    return stream !== undefined && isWholeList([...history.since(stream), entry]);
  }
  const isAgain = isExpiredAgain(entry, history);
  if (!isRead(entry) && !isAgain) return false;
  const position = positionOf(entry) ?? '';
  const fresh = since.find(({ cursors }) => cursors.includes(position));
  if (!fresh) {
    const first = since.find(givesCursor);
    const isLatest = position === 'latest' && 'You began at latest.';
    const why = isAgain
      ? 'This cursor has expired.'
      : isLatest || (isFromOldest(entry) && 'You began at the oldest event again.');
    return (
      why &&
      first !== undefined &&
      isWholeList(history.since(first)) &&
      `${why} You have a new cursor, from before the list: go on from there.`
    );
  }
  if (isWholeList(history.since(fresh))) return true;
  if (isWholeList(since)) {
    const isListed = history.since(fresh).some(({ call, status }) => call === listClaims && status === 200);
    if (isListed) return partOfList;
    return 'You read the claims before you got the new cursor: a change between the two is lost.';
  }
  return history.last(isRead) === fresh
    ? 'The cursor had expired, and you read on without the whole list of claims: changes that you missed are in no event any more.'
    : false;
}

export const events: LessonTopic = {
  id: 'events',
  title: 'Events',
  lessons: [
    {
      id: 'long-poll',
      title: 'Wait for news',
      level: 2,
      goal: 'Ask for events with a long poll while there are none: the service waits, and answers as soon as there is one.',
      why: 'One call brings the news at once; to ask every second takes sixty calls a minute.',
      hints: [
        'One parameter of the topic says how many seconds the answer may wait.',
        'Read all events there are, send the last `next` as `after`, and add `wait`. Something has to happen meanwhile: a claim with `"paceSeconds":5` moves every five seconds.',
        '`curl "$ROOT/claims/v1/topics/claims.status-changed?after=$NEXT&wait=30" -H "Authorization: Bearer $TOKEN"`, right after a claim was registered. `NEXT` is the `next` of your last batch.',
      ],
      sections: ['Payload', 'Limits, General rate'],
      buildsOn: ['claim-followed'],
      remember: 'With `wait` the service answers when there is news. Give your client a longer timeout than that.',
      without:
        'The program asks each second, and nearly always for nothing. It uses up the limit, and the real work is refused.',
      shortestWay: 3,
      way: [readTopic, registerClaim, createPolicy],
      steps: [{ title: 'Wait for an event with a long poll', judge: polled }],
    },
    {
      id: 'event-stream',
      title: 'A stream of events',
      level: 2,
      goal: 'Read the topic as a stream of server-sent events, and receive at least one event through it. It counts once the stream has ended.',
      why: 'A stream brings each event at once, and is one call for as long as it is open.',
      hints: [
        'The address is that of the batches. A header of the request says which of the two you want.',
        '`Accept: text/event-stream`. Most tools show a stream only if they do not wait for its end: curl has -N.',
        '`curl -N $ROOT/claims/v1/topics/claims.status-changed -H "Accept: text/event-stream" -H "Authorization: Bearer $TOKEN"`. End it with Ctrl-C; your log shows its events from then on.',
      ],
      sections: ['Payload'],
      buildsOn: ['claim-followed'],
      remember: 'A stream is one answer that does not end. Read it line by line, and be ready for its end.',
      without:
        'A library waits for the whole answer before it gives you any. The program hangs, and no event is ever processed.',
      shortestWay: 3,
      way: [readTopic, registerClaim, createPolicy],
      steps: [{ title: 'Receive an event through a stream', judge: streamed }],
    },
    {
      id: 'event-twice',
      title: 'The same event twice',
      level: 2,
      goal: 'Receive a batch or a stream in which an event comes more than once, and find out how many different events it brought. Send that number as your answer.',
      why: 'A consumer that counts an event twice pays a claim twice; every service that promises “at least once” will repeat some.',
      hints: [
        'One member of each event says which event it is.',
        'About one in ten events comes twice. The drill duplicate-events repeats each one: `POST /range/v1/me/drills` with `{"name":"duplicate-events"}`.',
        `Count the different values of eventId in the answer: \`curl -s "$ROOT/claims/v1/topics/claims.status-changed?limit=20" -H "Authorization: Bearer $TOKEN" | grep -o '"eventId":"[^"]*"' | sort -u | wc -l\``,
      ],
      sections: ['Events, delivery rule 1', 'Payload'],
      buildsOn: ['claim-followed'],
      remember:
        '“At least once” means: sometimes twice. Keep each `eventId` that you have processed, and skip it the next time.',
      without:
        'The same claim is paid two times. It happens seldom, so the tests don’t find it, but the accountants do.',
      shortestWay: 3,
      way: [readTopic, registerClaim, createPolicy],
      steps: [{ title: 'Receive an event more than once in one batch or stream', judge: cameTwice }],
      asks: {
        step: 'Send how many different events there were',
        question:
          'Take your latest batch, or the latest stream that has ended, in which an event came more than once. How many different events were in it? Send a number.',
        answerType: 'number',
        check(answer, history) {
          const entry = history.last(hasDuplicates);
          if (!entry)
            return `In your log no event came twice within one batch or one ended stream of at most ${keptBody / 1024} KiB, which is what the log keeps.`;
          if (answer === differentIds(entry) || answer === String(differentIds(entry))) return { entry };
          const isOlder = history.has((each) => hasDuplicates(each) && String(differentIds(each)) === String(answer));
          const why = isOlder ? 'That is the number of an older one.' : 'That is not their number.';
          return `${isNumber(answer) ? why : 'Send a plain number.'} It is asked for the exchange ${entry.id}.`;
        },
      },
    },
    {
      id: 'events-resumed',
      title: 'On after a break',
      level: 2,
      goal: 'Read some events, stop, and go on where you were, or a little before, so that you receive what happened meanwhile. To stop means that your stream ends, or that you read no batch for ten seconds.',
      why: 'Every consumer is restarted some day, and what happened in between must not be lost.',
      hints: [
        'Each batch says where to go on, and so does each event of a stream.',
        'Keep the `next` of a batch, or the last id of a stream. There must be new events by then: let your claim move on, or register another one.',
        'Send what you kept as `after`: `?after=31-1`. With a stream, the header `Last-Event-ID: 31-1` does the same.',
      ],
      sections: ['Events, delivery rule 1', 'Events, delivery rule 3'],
      buildsOn: ['claim-followed'],
      remember: 'Store the cursor with your own data. Go on from it after every stop.',
      without: 'After a restart the program begins at the newest event. All that happened during the update is lost.',
      shortestWay: 4,
      way: [readTopic, registerClaim, createPolicy],
      steps: [{ title: 'Go on where you stopped, after a break', judge: resumed }],
    },
    {
      id: 'events-in-order',
      title: 'Two claims at once',
      level: 2,
      goal: 'Register two claims, one that will be approved and one that will be rejected, so that their events come mixed. Read them, and send as your answer what each claim went through. What a stream brought counts once it has ended.',
      why: 'Order is promised for one claim, not for all together: a consumer has to keep the claims apart.',
      hints: [
        'Events belong to the claim that data.claimId names. Process each eventId once.',
        'Register both within a few seconds of each other, with the same paceSeconds, one with `"outcome":"REJECTED"`. Then move your clock ahead until both are CLOSED.',
        'The answer: `{"CLM-2026-000001":["REGISTERED","UNDER_REVIEW","APPROVED","CLOSED"],"CLM-2026-000002":["REGISTERED","UNDER_REVIEW","REJECTED","CLOSED"]}`',
      ],
      sections: ['Events, delivery rule 2', 'States and transitions, Claim'],
      buildsOn: ['claim-followed'],
      remember: 'The order holds for one claim, not for all. Keep a state for each `claimId`.',
      without:
        'The program compares each event with the one before it, which is of another claim. Customers get news about the claims of others.',
      shortestWay: 4,
      way: [listClaims, readTopic, registerClaim, createPolicy],
      steps: [
        {
          title: 'Receive the mixed events of an approved and a rejected claim',
          judge: (entry, history) =>
            cameMixed(entry, history) || bothApproved(entry, history) || notReadToEnd(entry, history),
        },
      ],
      asks: {
        step: 'Send what each claim went through',
        question:
          'Which states did each of your two claims have, in their order? Send {"CLM-…":["REGISTERED",…],"CLM-…":[…]}.',
        answerType: 'json',
        check(answer, history) {
          if (typeof answer === 'string' && answer.trimStart().startsWith('{'))
            return 'Send the JSON object itself, and not a text with it.';
          const read = distinctEvents(history.all(isRead));
          const claims = Object.entries(answer !== null && typeof answer === 'object' ? answer : {});
          const claimIds = claims.map(([claimId]) => claimId);
          const told = claimIds.map((claimId) => statesOf(claimId, read).join());
          const isPart = !claimIds.every((claimId) => isWhole(claimId, read));
          const isOpen = history.has(({ call, end }) => call === readTopic && end === 'open');
          if (claims.length >= 2 && isPart && isOpen)
            return 'Your stream is still open. What it brought counts once it has ended.';
          if (claims.length < 2 || told.includes(''))
            return 'Send a JSON object with the ids of two claims whose events you have read.';
          if (isPart) return 'You have not read all events of these claims yet. Read them from the topic.';
          if (claims.some(([, states]) => typeof states === 'string' && /\W/.test(states)))
            return 'Send the states of each claim as a list.';
          const sent = claims.map(([, states]) => (Array.isArray(states) ? states.map(textOf).join() : ''));
          if (told.some((states, at) => states !== sent[at])) {
            if (told.every((states, at) => `,${states}`.endsWith(`,${sent[at]}`)))
              return 'The first state is missing: the one that a claim has before its first change.';
            return 'For at least one of the claims, these are not the states that you read.';
          }
          if (!claimIds.some((one) => claimIds.some((other) => areMixed(one, other, read))))
            return 'Those are their states, but their events were not mixed: all of one came before the other. Take two that run at the same time.';
          if (new Set(told).size < 2)
            return 'Those are their states, but both went the same way. Take one that is rejected, too.';
          return { entry: history.last((each) => each.events.some(({ claimId }) => claimIds.includes(claimId))) };
        },
      },
    },
    {
      id: 'newer-events',
      title: 'One member more',
      level: 2,
      goal: 'Start the drill `newer-events`: events have `eventVersion` 1.1 and a member that you have never seen. Read some of them, and then read on from where they end until another event comes.',
      why: 'A publisher may add a member at any time, and a reader that refuses what it does not know stops on that day.',
      hints: [
        'Take the members that you know, and ignore the rest: don’t compare whole objects, and don’t let a parser fail on an unknown name.',
        'Register a claim, send `{"name":"newer-events"}` to `POST /range/v1/me/drills`, and read the topic. The `next` of a batch is where you go on, with `after`.',
        'Let the claim change between the two reads, by time or by `{"advance":"PT1M"}` to `POST /range/v1/me/clock`: then `curl "$ROOT/claims/v1/topics/claims.status-changed?after=$NEXT&wait=20" -H "Authorization: Bearer $TOKEN"`, where `NEXT` is the `next` of the first read.',
      ],
      sections: ['Versioning', 'Events, delivery rule 3', 'Payload'],
      buildsOn: ['events-resumed'],
      remember: 'A minor version only adds. Read the members that you know, and ignore the rest.',
      without:
        'A strict parser stops at the first event with a new member. Nothing was wrong with it, but all events behind it wait.',
      shortestWay: 4,
      way: [readTopic, registerClaim, createPolicy],
      steps: [
        { title: 'Read events of a newer version', judge: readNewer },
        { title: 'Read on after them, until another event comes', judge: wentOn },
      ],
    },
    {
      id: 'events-resync',
      title: 'Away for too long',
      level: 3,
      goal: 'Keep a cursor, and let a claim change after it. Stay away for more than seven days, and come back with that cursor: it has expired. Then catch up, so that you know every claim as it is now and miss no later event.',
      why: 'Every service removes old events some day, so a consumer needs a second way to learn how things are now.',
      hints: [
        'A claim must have changed after the cursor that you kept, before you move your clock by days. Send `{"advance":"PT5M"}` to `POST /range/v1/me/clock` first, then `{"advance":"P8D"}`. Your token has expired then, too.',
        'The old cursor is answered with 410 cursor-expired. Its text says where to catch up. What must not happen: a claim changes after you have read it, and before your new cursor.',
        'In this order: `curl "$ROOT/claims/v1/topics/claims.status-changed?after=latest" -H "Authorization: Bearer $TOKEN"` gives a new `next`. `curl -i "$ROOT/claims/v1/claims?page=1" -H "Authorization: Bearer $TOKEN"`, then page 2 and so on, until no `rel="next"` is left. Then `curl "$ROOT/claims/v1/topics/claims.status-changed?after=$NEXT" -H "Authorization: Bearer $TOKEN"`, where `NEXT` is that `next`.',
      ],
      sections: ['Events, delivery rule 3', 'Limits, Event retention', 'Claims interface'],
      buildsOn: ['events-resumed'],
      remember: 'Events are not kept for ever. After 410 take a new cursor, read the whole list, then read on.',
      without:
        'After a long stop the consumer fails at each start. Or it begins anew and never learns what changed in between.',
      shortestWay: 8,
      way: [listClaims, readTopic, `${readTopic} 410`, registerClaim, createPolicy],
      steps: [
        {
          title: 'Come back with a cursor that has expired',
          judge: (entry, history) =>
            expired(entry) ||
            (!history.has(expired) && (stillKept(entry, history) || cameWithoutCursor(entry, history))),
        },
        { title: 'Get a new cursor', judge: cursorRenewed },
        { title: 'Read the whole list of claims', judge: listRead },
        {
          title: 'Read on from the new cursor',
          judge: (entry, history) =>
            (entry.call === readTopic || entry.call === listClaims) && resynchronised(entry, history),
        },
      ],
    },
  ],
};

const isNumber = (answer: unknown) => typeof answer !== 'object' && /^\d+$/.test(String(answer));

const textOf = (state: unknown) => (typeof state === 'string' ? state : '');
