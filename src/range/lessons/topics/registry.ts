import { readEnvelope } from '../../../vehicle-registry/index.ts';
import { lookUpByRest, lookUpBySoap, readWsdl } from '../calls.ts';
import { type Entry, jsonOf, methodOf } from '../entry.ts';
import type { History } from '../history.ts';
import type { EndedAttempt, LessonTopic, Verdict } from '../lesson.ts';
import { onlyHead } from '../other-methods.ts';

/*
 * The same data by SOAP and by REST.
 */

const isNotFound = ({ problem }: Entry) => problem === 'VehicleNotFound';

/** It is about a number: without one there is nothing to look up. */
const isFault = (entry: Entry) => isNotFound(entry) && plate(soapNumber(entry)) !== '';

/** A fault that is about the request. The end of the service has another status. */
const isMisunderstood = ({ status, problem }: Entry) =>
  status === 500 && problem?.startsWith('soap:') === true && problem !== 'soap:Server';

/** Also of a fault. The service writes its elements without a prefix. */
const soapNumber = ({ answer }: Entry) => /<RegNumber>([^<]*)<\/RegNumber>/.exec(answer.text)?.[1];

/** The registration number of a lookup that found its vehicle, as it was sent. */
export function found(entry: Entry): string | undefined {
  const { call, status, answer } = entry;
  if (status !== 200) return undefined;
  if (call === lookUpBySoap) return soapNumber(entry);
  return call === lookUpByRest ? jsonOf(answer)?.reg_number : undefined;
}

/** A plate can be written with and without a dash, and with blanks around it. */
const plate = (number: string | undefined) => number?.trim().replace('-', '').toUpperCase();

const hasVin = ({ answer }: Entry) => /<VinCode>|"vin_code"/.test(answer.text);

/** Tells whether nothing is at the address that was called, but it looks as if the registry was meant. */
const isMissed = ({ call, status, path }: Entry) =>
  call.endsWith(' (none)') && status === 404 && path.startsWith('/vehicle-registry');

/** Tells whether it was to change something, where nothing can be changed. */
const isWrite = ({ call }: Entry) => /^(?:POST|PUT|PATCH|DELETE) \(none\)$/.test(call);

/** Of such a call the log has no body. */
const isWrittenToRest = (entry: Entry) => isWrite(entry) && entry.path.startsWith('/vehicle-registry/v2');

const isHeadOfRest = ({ call }: Entry) => call === lookUpByRest.replace('GET', 'HEAD');

const noData = onlyHead('the data of the vehicle');

/** Explains a call to REST v2 that nothing there answers. */
function unservedByRest(entry: Entry): Verdict {
  if (isWrittenToRest(entry))
    return `You sent a ${methodOf(entry)} to REST v2, which is only read. Read at /docs how it is called.`;
  const isElsewhere = isMissed(entry) && !/wsdl/i.test(entry.path + entry.search);
  return isElsewhere && 'There is nothing at this address. Read at /docs which address REST v2 has for a vehicle.';
}

const isLookup = ({ call }: Entry) => call === lookUpBySoap || call === lookUpByRest;

function isWsdl(entry: Entry): Verdict {
  const { call, status, path, search } = entry;
  // Also where a browser is told that what it has is the latest.
  if (call === readWsdl) return status < 400;
  if (!/wsdl/i.test(path + search)) return false;
  if (call === `HEAD ${path}` && status < 400) return 'HEAD gets the headers alone. Get the WSDL itself.';
  if (call === lookUpBySoap) return 'You sent a POST, so the service took it for a lookup. Get the WSDL.';
  if (!isMissed(entry)) return false;
  if (path.startsWith('/vehicle-registry/v2')) return 'REST v2 has no WSDL. The SOAP service has one.';
  return 'There is nothing at this address. The WSDL is at the address of the SOAP service itself.';
}

function isLookedUp(entry: Entry): Verdict {
  const { call, status, path, sent } = entry;
  if (call === lookUpBySoap) {
    if (status === 200) return true;
    if (isNotFound(entry)) return 'The service understood you, but no vehicle has this number. Look up another one.';
    return isMisunderstood(entry)
      ? 'The service did not understand what you sent. The fault says what is wrong with it.'
      : `The service answered with ${status}, so no vehicle was looked up. Read what its answer says.`;
  }
  if (isWrittenToRest(entry) && /xml/i.test(sent.headers['content-type'] ?? ''))
    return 'You sent XML to REST v2. The SOAP service has another address.';
  if (isMissed(entry)) {
    const isBelow = path.startsWith('/vehicle-registry/v1/') && !/wsdl/i.test(path);
    return isBelow && 'There is nothing at this address. A SOAP service has one address for all its operations.';
  }
  if (call === lookUpByRest) return 'This was REST v2. Ask the SOAP service.';
  const isOfService = isWrite(entry) && status === 405 && path.startsWith('/vehicle-registry/v1');
  if (!isOfService) return false;
  return `You sent a ${methodOf(entry)}, which calls no operation. The page of the service shows what does.`;
}

const isFoundBySoap = ({ call, status }: Entry) => call === lookUpBySoap && status === 200;

const hasLookedUp = (history: History) => history.has(isFoundBySoap);

const newFault = (fault: string): EndedAttempt => ({
  beginAgain: `${fault} Begin again: look up another number that no vehicle has, and go on with one that exists.`,
});

const sentAgain = newFault('You sent the same number again after the fault, but the fault is final.');

/** Tells whether an earlier fault of this attempt was about the same number. An attempt ends when a number is sent again. */
function isSentAgain(fault: Entry, history: History): boolean {
  let missed = new Set<string | undefined>();
  for (const each of history.all(isFault)) {
    const number = plate(soapNumber(each));
    missed = missed.has(number) ? new Set([number]) : missed.add(number);
  }
  return missed.has(plate(soapNumber(fault)));
}

const ofRequest = 'This fault is about your request, not about a vehicle. Send a right request with a wrong number.';

function isFaultSeen(entry: Entry, history: History): Verdict {
  const { call, status } = entry;
  if (isFault(entry)) return isSentAgain(entry, history) ? sentAgain : true;
  if (call === lookUpBySoap && isMisunderstood(entry)) return ofRequest;
  if (isNotFound(entry)) return 'You sent no number. Send one that no vehicle has.';
  if (isFoundBySoap(entry))
    return (
      !history.has(isFault) && 'A vehicle has this number, so there was no fault. Look up a number that no vehicle has.'
    );
  if (call !== lookUpByRest || status !== 404) return false;
  return 'REST v2 says with 404 that there is no such vehicle. Ask the SOAP service, and read its fault.';
}

function isGoneOn(entry: Entry, history: History): Verdict {
  const fault = history.last(isFault);
  if (!fault) return false;
  if (isFault(entry)) return isSentAgain(entry, history) && sentAgain;
  if (isMisunderstood(entry) && entry.call === lookUpBySoap)
    return 'This fault is about your request, not about a vehicle. Send a right request with a number that exists.';
  if (entry.status !== 200) return false;
  if (entry.call === lookUpBySoap) {
    if (!isSentAgain(fault, history.before(fault))) return true;
    return (
      !history.since(fault).some(isFoundBySoap) &&
      newFault(`You went on with ${found(entry)}, but before it you had sent a wrong number again after its fault.`)
    );
  }
  const isNext = entry.call === lookUpByRest && history.last(isLookup) === fault;
  return isNext && 'You went on by REST v2. Go on by SOAP.';
}

function isFoundByBoth(entry: Entry, history: History): Verdict {
  const number = found(entry);
  if (number === undefined) return whyNotFound(entry, history);
  const other = entry.call === lookUpBySoap ? lookUpByRest : lookUpBySoap;
  const isSame = (each: Entry) => plate(found(each)) === plate(number);
  if (history.has((each) => each.call === other && isSame(each))) return true;
  const before = history.all((each) => each.call === lookUpByRest && found(each) !== undefined);
  if (entry.call === lookUpBySoap) {
    const byRest = !hasLookedUp(history) && before.at(-1);
    if (byRest) return `The vehicle that you looked up by REST v2 was ${found(byRest)}, not ${number}.`;
    const latest = history.last(() => true);
    // What was said last is no longer so.
    const isCorrected = latest && typeof whyNotFound(latest, history.before(latest)) === 'string';
    return isCorrected === true && `By SOAP you found ${number}. Look it up by REST v2 as well.`;
  }
  if (before.some(isSame)) return `You looked up ${number} by REST v2 only. Look it up by SOAP as well.`;
  const bySoap = before.length === 0 && history.last((each) => found(each) !== undefined);
  return bySoap ? `The vehicle that you looked up by SOAP was ${found(bySoap)}, not ${number}.` : false;
}

/** Of a lookup by REST v2, after one by SOAP. */
function whyNotFound(entry: Entry, history: History): Verdict {
  const missed = plate(missedByRest(entry));
  if (missed !== undefined && history.has((each) => isFault(each) && plate(soapNumber(each)) === missed))
    return 'No vehicle has this number, by SOAP or by REST v2. Take a number that exists.';
  if (isWrittenToRest(entry)) return unservedByRest(entry);
  if (isHeadOfRest(entry)) return noData;
  if (!hasLookedUp(history)) return false;
  if (entry.call === lookUpByRest && entry.status === 404)
    return 'REST v2 knows no vehicle with this number. Take the number of one that you looked up by SOAP.';
  return unservedByRest(entry);
}

/** Tells whether it is a lookup that found no vehicle with this number. */
const isOfNoVehicle = (entry: Entry, number: string | undefined) =>
  plate(isFault(entry) ? soapNumber(entry) : missedByRest(entry)) === number;

/** The end of its path. */
const missedByRest = ({ call, status, path }: Entry) =>
  call === lookUpByRest && status === 404 ? path.split('/').at(-1) : undefined;

const hasEnded = ({ call, status, drills }: Entry) =>
  call === lookUpBySoap && status === 410 && drills.includes('sunset');

/** The number that a call by SOAP asked for, if v1 would have understood it. */
function askedNumber({ sent }: Entry): string | undefined {
  const reading = readEnvelope(Buffer.from(sent.text), sent.headers['content-type']);
  return 'code' in reading ? undefined : reading.regNumber.trim() || undefined;
}

/** A lookup that v1 refused since it has ended. It refuses everything then. */
const isEnded = (entry: Entry) => hasEnded(entry) && askedNumber(entry) !== undefined;

function isEndSeen(entry: Entry, history: History): Verdict {
  const { call, status, drills, sent } = entry;
  if (isEnded(entry)) return true;
  if (hasEnded(entry)) {
    // Of a long one nobody can say it.
    const isKept = sent.text !== '' || sent.bytes === 0;
    if (!isKept) return false;
    return 'SOAP v1 has ended, but what you sent was no right lookup. Send the envelope of one, with the number of a vehicle.';
  }
  if (call === readWsdl && status === 410 && drills.includes('sunset'))
    return 'You read the page or the WSDL, which has ended too. Send a lookup, to see what your SOAP client would get.';
  if (found(entry) === undefined || history.has(isEnded)) return false;
  // The log has no starts of drills, and REST v2 goes on: only an answer of v1 tells that it has not ended.
  return call === lookUpBySoap
    ? 'SOAP v1 gave you this vehicle, so it has not ended for you. Start the drill first.'
    : 'No lookup by SOAP v1 was refused yet. With the drill on, look the vehicle up by SOAP first.';
}

/** The lookup that v1 refused, by its successor. */
function isMovedOn(entry: Entry, history: History): Verdict {
  const refused = history.last(isEnded);
  if (!refused) return false;
  if (entry.call === lookUpBySoap) {
    if (hasEnded(entry))
      return '410 is final: to call SOAP v1 again does not help. Its answer names what came after it.';
    return entry.status === 200 && 'The drill is over, so SOAP v1 is back. At work it would not be: ask its successor.';
  }
  if (isHeadOfRest(entry)) return noData;
  if (entry.call !== lookUpByRest) return unservedByRest(entry);
  const wanted = askedNumber(refused);
  if (entry.status !== 200) {
    if (entry.status !== 404) return false;
    return `REST v2 knows no vehicle with this number. The lookup that was refused was of ${wanted}.`;
  }
  if (history.has((each) => isEnded(each) && plate(askedNumber(each)) === plate(found(entry)))) return true;
  return `This was ${found(entry)}. The lookup that was refused was of ${wanted}.`;
}

export const registry: LessonTopic = {
  id: 'registry',
  title: 'The vehicle registry',
  lessons: [
    {
      id: 'wsdl',
      title: 'Read the WSDL',
      level: 1,
      goal: 'The old vehicle registry is a SOAP service at /vehicle-registry/v1. Get its WSDL, the description that SOAP tools make a client from. Begin the path with /for/ and your `client_id`, so that the call counts as yours.',
      why: 'With the WSDL a tool writes the calls for you; without it you write XML by hand.',
      hints: [
        'By convention a SOAP service gives its WSDL at its own address, with something behind a question mark.',
        'It is a GET with ?wsdl. With /for/ and your client_id before the path, the call counts as yours.',
        '`curl "$ROOT/for/$CLIENT_ID/vehicle-registry/v1?wsdl"`',
      ],
      sections: ['Legacy SOAP operation', 'Vehicle data (legacy SOAP)', 'Versioning'],
      buildsOn: ['credentials'],
      remember:
        'The WSDL describes a SOAP service: operations, messages, address. Let a tool read it and make the client.',
      without: 'XML written by hand has the wrong namespace or order, and the fault of the service does not say where.',
      shortestWay: 1,
      way: [readWsdl],
      needsNoToken: true,
      steps: [{ title: 'Get the WSDL of the vehicle registry', judge: isWsdl }],
    },
    {
      id: 'soap-lookup',
      title: 'Look up a vehicle by SOAP',
      level: 1,
      goal: 'Ask the SOAP service for the data of the vehicle `AB-1234`, or of any other: the operation is `GetVehicleData`. Begin the path with /for/ and your `client_id`, so that the call counts as yours.',
      why: 'Much of what you will have to connect to is older than REST.',
      hints: [
        'Give the WSDL to a SOAP tool, or POST an envelope by hand. No token is needed.',
        'Open /vehicle-registry/v1 in a browser: it shows a call that works. Put /for/ and your client_id before its path.',
        '`curl $ROOT/for/$CLIENT_ID/vehicle-registry/v1 -H "Content-Type: text/xml" -d \'<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><GetVehicleDataRequest xmlns="http://lplate.example/vehicle-registry/v1"><RegNumber>AB-1234</RegNumber></GetVehicleDataRequest></soap:Body></soap:Envelope>\'`',
      ],
      sections: ['Legacy SOAP operation', 'Vehicle data (legacy SOAP)'],
      buildsOn: ['wsdl'],
      remember:
        'A SOAP call is a POST of an envelope, always to the same address. The body says which operation it is.',
      without: 'The old system is left out of the project. A person types its data into two screens for years.',
      shortestWay: 1,
      way: [lookUpBySoap],
      needsNoToken: true,
      steps: [{ title: 'Look up a vehicle by SOAP', judge: isLookedUp }],
    },
    {
      id: 'soap-fault',
      title: 'A fault is an answer',
      level: 2,
      goal: 'By SOAP, look up a number that no vehicle has, and read the fault. Don’t send the same number again: go on with one that exists. Begin the path with /for/ and your `client_id`, so that the call counts as yours.',
      why: 'A SOAP fault comes with status 500, so a client that looks only at the status repeats for hours what will never work.',
      hints: [
        'Numbers that begin with XX were never issued.',
        'The fault is VehicleNotFound, with the number in its detail. Other faults say that the call itself was wrong.',
        'Send the envelope once with XX-1234 and then with AB-1234.',
      ],
      sections: ['Legacy SOAP operation', 'Vehicle data (legacy SOAP)', 'Errors, 2'],
      buildsOn: ['soap-lookup'],
      remember:
        'Every SOAP fault has the status 500. Read the fault: it may be a plain answer, such as “no such vehicle”.',
      without:
        'Monitoring calls somebody out of bed because of one wrong registration number, and the queue behind it does not move.',
      shortestWay: 2,
      way: [lookUpBySoap, `${lookUpBySoap} 500`],
      needsNoToken: true,
      steps: [
        { title: 'Look up a number that no vehicle has', judge: isFaultSeen },
        { title: 'Go on with a number that exists', judge: isGoneOn },
      ],
    },
    {
      id: 'same-vehicle',
      title: 'The same vehicle by REST',
      level: 1,
      goal: 'The SOAP service has a successor, REST v2. Get the data of one vehicle from both, and see what changed: the names, the form, the spelling of the fuel. Begin the path with /for/ and your `client_id`, so that the call counts as yours.',
      why: 'Services are replaced while you use them, and a move is safe if both give the same data for the same vehicle.',
      hints: [
        'REST v2 is at /vehicle-registry/v2, and described at /docs.',
        'Take the number of a vehicle that you looked up by SOAP. It is the end of the path of a GET.',
        '`curl $ROOT/for/$CLIENT_ID/vehicle-registry/v2/vehicles/AB-1234`, after a SOAP lookup of AB-1234.',
      ],
      sections: ['Versioning', 'Vehicle data (legacy SOAP)'],
      buildsOn: ['soap-lookup'],
      remember:
        'A new version can have other names, forms and values. Compare both with the same question before you change over.',
      without:
        'After the move a diesel car counts as unknown, since the new service spells the fuel in another way. The premiums are wrong.',
      shortestWay: 2,
      way: [lookUpByRest, lookUpBySoap],
      needsNoToken: true,
      steps: [{ title: 'Get the data of one vehicle by SOAP and by REST v2', judge: isFoundByBoth }],
    },
    {
      id: 'no-vin',
      title: 'A vehicle without a VIN',
      level: 2,
      goal: 'Not every vehicle has a VIN. Look up vehicles, by SOAP or by REST v2, until you find one without, and send its registration number as your answer. Begin the path with /for/ and your `client_id`, so that the call counts as yours.',
      why: 'A field that may be missing will be missing one day, and a program that was tried only with complete data breaks then.',
      hints: [
        'The WSDL has `minOccurs="0"` on VinCode, so the element may be missing; in v2 it is the member vin_code.',
        'Some old vehicles have no VIN: about one vehicle in fifteen. Write a loop over numbers such as AA-0001, AA-0002, …',
        '`for i in 01 02 03 04 05 06 07 08 09 10; do curl $ROOT/for/$CLIENT_ID/vehicle-registry/v2/vehicles/AA-00$i; echo; done` shows two of them.',
      ],
      sections: ['Vehicle data (legacy SOAP)', 'Versioning'],
      buildsOn: ['same-vehicle'],
      remember: 'An optional field can be missing. Decide what your program does then, and try it.',
      without:
        'The import runs for months and breaks at the first old vehicle, at night, with all records after it unread.',
      shortestWay: 1,
      way: [lookUpByRest, `${lookUpByRest} 404`, lookUpBySoap, `${lookUpBySoap} VehicleNotFound`],
      steps: [],
      asks: {
        step: 'Send the number of a vehicle without a VIN',
        question: 'The registration number of a vehicle without a VIN that you have looked up, written like `AB-1234`.',
        check(answer, history) {
          if (typeof answer !== 'string') return 'Send the registration number alone, as a text.';
          const wanted = plate(answer.trim());
          const entry = history.last((each) => found(each) !== undefined && plate(found(each)) === wanted);
          if (!entry && history.has((each) => isOfNoVehicle(each, wanted)))
            return 'Your lookup found no vehicle with this number. Look for one that exists and has no VIN.';
          const isInWords = (each: Entry) => wanted?.includes(plate(found(each)) || ' ') === true;
          if (!entry && history.has(isInWords)) return 'Send the registration number alone, without other words.';
          if (!entry)
            return 'Your log has no lookup of this vehicle. Look it up, with a path that begins with /for/ and your client_id.';
          if (hasVin(entry)) return 'This vehicle has a VIN. Look for an answer without VinCode or vin_code.';
          return { entry };
        },
      },
    },
    {
      id: 'old-service-ends',
      title: 'The old service ends',
      level: 2,
      goal: 'Start the drill `sunset`: from now on SOAP v1 has ended for you. Look a vehicle up by SOAP, read what it answers, and get the same vehicle from what came after it. Begin the path with /for/ and your `client_id`, so that the drill meets the call.',
      why: 'The day on which an old service is switched off is known for years, and still it surprises most of its clients.',
      hints: [
        'Each answer of SOAP v1 has Deprecation, Sunset and Link, long before its end. After it, the text of the answer names the successor.',
        'Send `{"name":"sunset"}` to `POST /range/v1/me/drills`. Then look up AB-1234 by SOAP: 410. Then the same number by REST v2.',
        '`curl -X POST $ROOT/range/v1/me/drills -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"name":"sunset"}\'`, the SOAP call of before, and `curl $ROOT/for/$CLIENT_ID/vehicle-registry/v2/vehicles/AB-1234`.',
      ],
      sections: ['Versioning', 'Legacy SOAP operation'],
      buildsOn: ['same-vehicle'],
      remember: '`Deprecation` and `Sunset` say years before when a service ends. 410 says that it has, for good.',
      without:
        'The old service is switched off on a Sunday night. A program that repeats its calls until they succeed does so until Monday, and who knew the date has left.',
      shortestWay: 2,
      way: [lookUpByRest, `${lookUpBySoap} 410`],
      needsNoToken: true,
      steps: [
        { title: 'See SOAP v1 refuse a lookup, since it has ended', judge: isEndSeen },
        { title: 'Get the same vehicle from REST v2', judge: isMovedOn },
      ],
    },
  ],
};
