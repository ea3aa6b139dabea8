import { type Entry, jsonOf } from '../entry.ts';
import type { Topic } from '../lesson.ts';

/*
 * The same data by SOAP and by REST.
 */

const wsdl = 'GET /vehicle-registry/v1';
const soap = 'POST /vehicle-registry/v1';
const rest = 'GET /vehicle-registry/v2/vehicles/:reg_number';

const isFault = ({ problem }: Entry) => problem === 'VehicleNotFound';

/** Also of a fault. The service writes its elements without a prefix. */
const soapNumber = ({ answer }: Entry) => /<RegNumber>([^<]*)<\/RegNumber>/.exec(answer.text)?.[1];

/** The registration number of a lookup that found its vehicle, as it was sent. */
function found(entry: Entry): string | undefined {
  const { call, status, answer } = entry;
  if (status !== 200) return undefined;
  if (call === soap) return soapNumber(entry);
  return call === rest ? jsonOf(answer)?.reg_number : undefined;
}

/** A plate can be written with and without a dash. */
const plate = (number: string | undefined) => number?.replace('-', '').toUpperCase();

const hasVin = ({ answer }: Entry) => /<VinCode>|"vin_code"/.test(answer.text);

export const registry: Topic = {
  id: 'registry',
  title: 'The vehicle registry',
  lessons: [
    {
      id: 'wsdl',
      title: 'Read the WSDL',
      level: 1,
      goal: 'The old vehicle registry is a SOAP service at /vehicle-registry/v1. Get its WSDL, the description that SOAP tools make a client from. Begin the path with /for/ and your client_id, so that the call counts as yours.',
      why: 'With the WSDL a tool writes the calls for you; without it you write XML by hand.',
      hints: [
        'By convention a SOAP service gives its WSDL at its own address, with something behind a question mark.',
        'It is a GET with ?wsdl. With /for/ and your client_id before the path, the call counts as yours.',
        '`curl "$ROOT/for/$CLIENT_ID/vehicle-registry/v1?wsdl"`',
      ],
      sections: ['Legacy SOAP operation', 'Vehicle data (legacy SOAP)', 'Versioning'],
      buildsOn: ['credentials'],
      // Also where a browser is told that what it has is the latest.
      steps: [
        {
          title: 'Read the WSDL',
          judge: ({ call, status }) => call === wsdl && status < 400,
        },
      ],
    },
    {
      id: 'soap-lookup',
      title: 'Look up a vehicle by SOAP',
      level: 1,
      goal: 'Ask the SOAP service for the data of the vehicle AB-1234, or of any other: the operation is GetVehicleData. Begin the path with /for/ and your client_id, so that the call counts as yours.',
      why: 'Much of what you will have to connect to is older than REST.',
      hints: [
        'Give the WSDL to a SOAP tool, or POST an envelope by hand. No token is needed.',
        'Open /vehicle-registry/v1 in a browser: it shows a call that works. Put /for/ and your client_id before its path.',
        '`curl $ROOT/for/$CLIENT_ID/vehicle-registry/v1 -H "Content-Type: text/xml" -d \'<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><GetVehicleDataRequest xmlns="http://lplate.example/vehicle-registry/v1"><RegNumber>AB-1234</RegNumber></GetVehicleDataRequest></soap:Body></soap:Envelope>\'`',
      ],
      sections: ['Legacy SOAP operation', 'Vehicle data (legacy SOAP)'],
      buildsOn: ['wsdl'],
      steps: [
        {
          title: 'Look up a vehicle by SOAP',
          judge: ({ call, status }) => call === soap && status === 200,
        },
      ],
    },
    {
      id: 'soap-fault',
      title: 'A fault is an answer',
      level: 2,
      goal: 'Look up a number that no vehicle has by SOAP, and read the fault. Don’t try the same number again: go on with one that exists. Begin the paths with /for/ and your client_id, so that the calls count as yours.',
      why: 'A SOAP fault comes with status 500, so a client that looks only at the status repeats for hours what will never work.',
      hints: [
        'Numbers that begin with XX were never issued.',
        'The fault is VehicleNotFound, with the number in its detail. Other faults say that the call itself was wrong.',
        'Send the envelope once with XX-1234 and then with AB-1234.',
      ],
      sections: ['Legacy SOAP operation', 'Vehicle data (legacy SOAP)', 'Errors, 2'],
      buildsOn: ['soap-lookup'],
      steps: [
        {
          title: 'A fault is an answer',
          judge(entry, history) {
            if (entry.call !== soap || entry.status !== 200) return false;
            const fault = history.last(isFault);
            if (!fault) return false;
            const earlier = history.before(fault).last(({ call }) => call === soap);
            if (!earlier || soapNumber(earlier) !== soapNumber(fault)) return true;
            return 'You sent the same number again after the fault. The fault is final: go on with the next number at once.';
          },
        },
      ],
    },
    {
      id: 'same-vehicle',
      title: 'The same vehicle by REST',
      level: 1,
      goal: 'The SOAP service has a successor, REST v2. Get the data of one vehicle from both, and see what changed: the names, the form, the spelling of the fuel. Begin the paths with /for/ and your client_id, so that the calls count as yours.',
      why: 'Services are replaced while you use them, and a move is safe when both give the same for the same question.',
      hints: [
        'REST v2 is at /vehicle-registry/v2, and described at /docs.',
        'Take the number of a vehicle that you looked up by SOAP. It is the end of the path of a GET.',
        '`curl $ROOT/for/$CLIENT_ID/vehicle-registry/v2/vehicles/AB-1234`, after a SOAP lookup of AB-1234.',
      ],
      sections: ['Versioning', 'Vehicle data (legacy SOAP)'],
      buildsOn: ['soap-lookup'],
      steps: [
        {
          title: 'The same vehicle by REST',
          judge(entry, history) {
            const number = found(entry);
            if (number === undefined) return false;
            const other = entry.call === soap ? rest : soap;
            if (history.has((each) => each.call === other && plate(found(each)) === plate(number))) return true;
            const isFirst =
              entry.call === rest && !history.has((each) => each.call === rest && found(each) !== undefined);
            const before = isFirst && history.last((each) => found(each) !== undefined);
            return before ? `The vehicle that you looked up by SOAP was ${found(before)}, not ${number}.` : false;
          },
        },
      ],
    },
    {
      id: 'no-vin',
      title: 'A vehicle without a VIN',
      level: 2,
      goal: 'Not every vehicle has a VIN. Look up vehicles, by SOAP or by REST v2, until you find one without, and send its registration number as your answer.',
      why: 'A field that may be missing is missing one day, and a program that was only tried with complete data breaks then.',
      hints: [
        'The WSDL has `minOccurs="0"` on VinCode, so the element may be missing; in v2 it is the member vin_code.',
        'Some old vehicles have no VIN: about one vehicle in fifteen. Write a loop over numbers such as AA-0001, AA-0002, …',
        '`for i in 01 02 03 04 05 06 07 08 09 10; do curl $ROOT/for/$CLIENT_ID/vehicle-registry/v2/vehicles/AA-00$i; echo; done` shows two of them.',
      ],
      sections: ['Vehicle data (legacy SOAP)', 'Versioning'],
      buildsOn: ['same-vehicle'],
      steps: [],
      asks: {
        step: 'A vehicle without a VIN',
        question: 'The registration number of a vehicle without a VIN that you have looked up, written like AB-1234.',
        check(answer, history) {
          const wanted = typeof answer === 'string' ? plate(answer.trim()) : undefined;
          const entry = history.last((each) => found(each) !== undefined && plate(found(each)) === wanted);
          if (!entry)
            return {
              advice:
                'Your log has no lookup that found this vehicle. Look it up, with a path that begins with /for/ and your client_id.',
            };
          if (hasVin(entry)) {
            return { advice: 'This vehicle has a VIN. Look for an answer without VinCode or vin_code.' };
          }
          return { entry };
        },
      },
    },
  ],
};
