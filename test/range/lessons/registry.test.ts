import { equal } from 'node:assert/strict';
import { envelope, registry, request } from '../../vehicle-registry/envelopes.ts';
import { answer, type Learner, stateOf, testLessons, wrongAnswer } from './lesson.ts';

const soapPath = '/vehicle-registry/v1';

const post = ({ bare }: Learner, body: string) =>
  bare('POST', soapPath, { headers: { 'Content-Type': 'text/xml' }, body });

const bySoap = (learner: Learner, number: string) =>
  post(learner, envelope(request(`<RegNumber>${number}</RegNumber>`)));

const byRest = ({ bare }: Learner, number: string) => bare('GET', `/vehicle-registry/v2/vehicles/${number}`);

const sunset = ({ call }: Learner) => call('POST', '/range/v1/me/drills', { json: { name: 'sunset' } });

async function inTurn(learner: Learner, ...numbers: string[]) {
  let last = await bySoap(learner, numbers[0] as string);
  for (const number of numbers.slice(1)) last = await bySoap(learner, number);
  return last;
}

/** An envelope to where REST v2 is. */
const postToRest = ({ bare }: Learner, path = '/vehicles/AB-1234') =>
  bare('POST', `/vehicle-registry/v2${path}`, { headers: { 'Content-Type': 'text/xml' }, body: envelope() });

const hint = ({ call }: Learner, lesson: string) => call('POST', `/range/v1/me/lessons/${lesson}/hints`);

const wrong = (learner: Learner, sent: unknown, advice: RegExp) => wrongAnswer(learner, 'no-vin', sent, advice);

testLessons({
  wsdl: {
    solve: ({ bare }) => bare('GET', `${soapPath}?WSDL`),
    alsoSolvedBy: {
      'a browser that has it': async ({ lplate, id }) => {
        const url = `${lplate.url}/for/${id}${soapPath}?wsdl`;
        const { headers } = await fetch(url, { method: 'HEAD' });
        const again = await fetch(url, { headers: { 'If-None-Match': headers.get('etag') as string } });
        equal(again.status, 304);
      },
    },
    misses: {
      'the page': ({ bare }) => bare('GET', soapPath),
      'what a page fetched': ({ bare }) =>
        bare('GET', `${soapPath}?wsdl`, { headers: { 'Sec-Fetch-Site': 'same-origin' } }),
      'too long an address': ({ bare }) => bare('GET', `${soapPath}?wsdl=${'x'.repeat(9000)}`),
      'a lookup': (learner) => bySoap(learner, 'AB-1234'),
      'its headers alone': ({ bare }) => bare('HEAD', `${soapPath}?wsdl`),
      'a POST': ({ bare }) => bare('POST', `${soapPath}?wsdl`),
      'of REST v2': ({ bare }) => bare('GET', '/vehicle-registry/v2?wsdl'),
      'an address of its own': ({ bare }) => bare('GET', `${soapPath}/service.wsdl`),
      'of no version': ({ bare }) => bare('GET', '/vehicle-registry?wsdl'),
      'of another service': ({ bare }) => bare('GET', '/insurer/v1?wsdl'),
      'another address of the registry': ({ bare }) => bare('GET', `${soapPath}/GetVehicleData`),
    },
    remarks: {
      'its headers alone': /^HEAD gets the headers alone/,
      'a POST': /took it for a lookup/,
      'of REST v2': /REST v2 has no WSDL/,
      'an address of its own': /The WSDL is at the address/,
      'of no version': /The WSDL is at the address/,
    },
  },

  'soap-lookup': {
    solve: (learner) => bySoap(learner, 'AB-1234'),
    misses: {
      'a number that is not there': (learner) => bySoap(learner, 'XX-1234'),
      'by REST': (learner) => byRest(learner, 'AB-1234'),
      'no envelope': (learner) => post(learner, '<nothing/>'),
      'an address for the operation': ({ bare }) => bare('POST', `${soapPath}/GetVehicleData`),
      'a WSDL': ({ bare }) => bare('GET', `${soapPath}/service.wsdl`),
      'by REST, with the WSDL': async (learner) => {
        await learner.bare('GET', `${soapPath}?wsdl`);
        await byRest(learner, 'AB-1234');
      },
      'by REST, after a fault': async (learner) => {
        await bySoap(learner, 'XX-1234');
        await byRest(learner, 'AB-1234');
      },
      'the address of the service': (learner) => postToRest(learner),
      'an address that there is': (learner) => postToRest(learner, ''),
      'JSON to REST v2': ({ bare }) => bare('POST', '/vehicle-registry/v2', { json: { reg_number: 'AB-1234' } }),
      'a service that has not ended': async (learner) => {
        await sunset(learner);
        await bySoap(learner, 'AB-1234');
      },
      'a service that answers': async (learner) => {
        await learner.call('POST', '/range/v1/me/drills', { json: { name: 'unavailable' } });
        await bySoap(learner, 'AB-1234');
      },
      'a service that answers, after a POST to REST v2': async (learner) => {
        await postToRest(learner);
        await learner.call('POST', '/range/v1/me/drills', { json: { name: 'unavailable' } });
        await bySoap(learner, 'AB-1234');
      },
      'a POST': ({ bare }) => bare('PUT', soapPath, { headers: { 'Content-Type': 'text/xml' }, body: envelope() }),
      'a POST, but DELETE': ({ bare }) => bare('DELETE', soapPath),
      'an address that there is, after a POST to REST v2': async (learner) => {
        await postToRest(learner);
        await learner.bare('POST', `${soapPath}/service.wsdl`);
      },
    },
    remarks: {
      'an address that there is, after a POST to REST v2': /^You sent XML to REST v2/,
      'a service that answers, after a POST to REST v2': /^The service answered with 500/,
      'the address of the service': /You sent XML to REST v2/,
      'an address that there is': /You sent XML to REST v2/,
      'a number that is not there': /no vehicle has this number/,
      'no envelope': /did not understand/,
      'an address for the operation': /one address for all its operations/,
      'by REST, with the WSDL': /This was REST v2/,
      'by REST, after a fault': /This was REST v2/,
      'a service that answers': /^The service answered with 500/,
      'a POST': /^You sent a PUT, which calls no operation/,
      'a POST, but DELETE': /^You sent a DELETE, which calls no operation/,
      'by REST': /This was REST v/,
      'a service that has not ended': /The service answered with/,
    },
  },

  'soap-fault': {
    solve: (learner) => inTurn(learner, 'XX-1234', 'AB-1234'),
    alsoSolvedBy: {
      'after two numbers': (learner) => inTurn(learner, 'XX-1234', 'XX-1235', 'AB-1234'),
      'begun again': (learner) => inTurn(learner, 'XX-1234', 'XX-1234', 'XX-1235', 'AB-1234'),
      'begun again with a number of before': (learner) =>
        inTurn(learner, 'XX-1234', 'XX-1235', 'XX-1235', 'XX-1234', 'AB-1234'),
    },
    misses: {
      'no fault': (learner) => inTurn(learner, 'AB-1234', 'AB-1235'),
      'the fault last': (learner) => inTurn(learner, 'AB-1234', 'XX-1234'),
      'another fault': async (learner) => {
        await post(learner, '<nothing/>');
        await bySoap(learner, 'AB-1234');
      },
      'the same number again': async (learner) => {
        await bySoap(learner, 'XX-1234');
        await byRest(learner, 'AB-1234');
        await inTurn(learner, 'XX-1234', 'AB-1234');
      },
      'by REST, when no vehicle was looked up': async (learner) => {
        await bySoap(learner, 'XX-1234');
        await byRest(learner, 'AB-1234');
      },
      'on by REST': async (learner) => {
        await inTurn(learner, 'AB-1234', 'XX-1234');
        await byRest(learner, 'AB-1234');
      },
      'another fault, when a vehicle was looked up': async (learner) => {
        await bySoap(learner, 'AB-1234');
        await post(learner, '<nothing/>');
      },
      'by REST': async (learner) => {
        await bySoap(learner, 'AB-1234');
        await byRest(learner, 'XX-1234');
      },
      'another number by REST': async (learner) => {
        await bySoap(learner, 'AB-1234');
        await byRest(learner, 'AB-123');
      },
      'the same number again, and again': (learner) => inTurn(learner, 'XX-1234', 'XX-1234', 'XX-1234', 'AB-1234'),
      'the same number again, after another fault': async (learner) => {
        await bySoap(learner, 'XX-1234');
        await post(learner, '<nothing/>');
        await inTurn(learner, 'XX-1234', 'AB-1234');
      },
      'the same number again, after another number': (learner) =>
        inTurn(learner, 'XX-1234', 'XX-1235', 'XX-1234', 'AB-1234'),
      'the same number in another spelling': (learner) => inTurn(learner, 'XX-1234', 'xx1234', 'AB-1234'),
      'the same number alone': (learner) => inTurn(learner, 'XX-1234', 'XX-1234', 'XX-1234'),
      'the same number again, and then several that exist': async (learner) => {
        await inTurn(learner, 'XX-1234', 'XX-1234', 'AB-1234', 'AB-1235');
        equal((await stateOf(learner, 'soap-fault')).misses, 2);
      },
      'the same number again, and another fault': async (learner) => {
        await inTurn(learner, 'XX-1234', 'XX-1234');
        await post(learner, '<nothing/>');
        await bySoap(learner, 'AB-1234');
      },
      'on by REST, with a hint': async (learner) => {
        await hint(learner, 'soap-fault');
        await bySoap(learner, 'XX-1234');
        await byRest(learner, 'AB-1234');
      },
      'the fault, and another one': async (learner) => {
        await bySoap(learner, 'XX-1234');
        await post(learner, '<nothing/>');
      },
      'a number': (learner) => inTurn(learner, '', 'AB-1234'),
      'a number, and no more': (learner) => bySoap(learner, ''),
      'the same number with blanks': (learner) => inTurn(learner, 'XX-1234', ' XX-1234 ', 'AB-1234'),
      'by REST, and then a wrong operation': async (learner) => {
        await byRest(learner, 'XX-1234');
        await post(learner, '<nothing/>');
      },
      'by REST, and then a number that exists': async (learner) => {
        await byRest(learner, 'XX-1234');
        await bySoap(learner, 'AB-1234');
      },
    },
    remarks: {
      'the same number again': /^You went on with AB-1234, but before it/,
      'the same number again, after another fault': /^You went on with AB-1234/,
      'the same number again, after another number': /^You went on with AB-1234/,
      'the same number in another spelling': /^You went on with AB-1234/,
      'the same number with blanks': /^You went on with AB-1234/,
      'the same number again, and then several that exist': /^You went on with AB-1234/,
      'the same number again, and another fault': /^You went on with AB-1234/,
      'on by REST, with a hint': /Go on by SOAP/,
      'the fault, and another one': /a right request with a number that exists/,
      'the same number alone': /sent the same number again/,
      'the same number again, and again': /^You went on with AB-1234/,
      'on by REST': /Go on by SOAP/,
      'another fault, when a vehicle was looked up': /about your request/,
      'by REST': /REST v2 says with 404/,
      'a number': /^A vehicle has this number/,
      'a number, and no more': /^You sent no number/,
      'by REST, and then a wrong operation': /^This fault is about your request/,
      'by REST, and then a number that exists': /^A vehicle has this number/,
      'no fault': /A vehicle has this number, so there was no/,
      'another fault': /A vehicle has this number, so there was no/,
      'by REST, when no vehicle was looked up': /You went on by REST v/,
      'another number by REST': /REST v/,
    },
    done: {
      'the fault last': 1,
      'by REST, when no vehicle was looked up': 1,
      'on by REST': 1,
      'on by REST, with a hint': 1,
      'the fault, and another one': 1,
    },
  },

  'same-vehicle': {
    async solve(learner) {
      await bySoap(learner, 'AB-1234');
      return byRest(learner, 'ab1234');
    },
    alsoSolvedBy: {
      'REST first': async (learner) => {
        await byRest(learner, 'AB-1234');
        await bySoap(learner, 'AB-1234');
      },
    },
    misses: {
      'another vehicle': async (learner) => {
        await inTurn(learner, 'AB-1234', 'XX-1234');
        for (const number of ['XX-1234', 'AA-0001', 'AA-0002']) await byRest(learner, number);
      },
      'twice by REST': async (learner) => {
        for (const number of ['AB-1234', 'AB-1234']) await byRest(learner, number);
      },
      'twice by SOAP': (learner) => inTurn(learner, 'AB-1234', 'AB-1235', 'AB-1234'),
      'no vehicle': async (learner) => {
        await bySoap(learner, 'XX-1234');
        await byRest(learner, 'XX-1234');
      },
      'a number that is not there': async (learner) => {
        await bySoap(learner, 'AB-1234');
        await byRest(learner, 'XX-1234');
      },
      'no address': async (learner) => {
        await bySoap(learner, 'AB-1234');
        await learner.bare('GET', '/vehicle-registry/v2/AB-1234');
      },
      'a WSDL': async (learner) => {
        await bySoap(learner, 'AB-1234');
        await learner.bare('GET', '/vehicle-registry/v2?wsdl');
      },
      'no address of the registry': async (learner) => {
        await bySoap(learner, 'AB-1234');
        await learner.bare('GET', '/vehicles/AB-1234');
      },
      'another vehicle, REST first': async (learner) => {
        await byRest(learner, 'AB-1234');
        await inTurn(learner, 'AA-0001', 'AA-0002');
      },
      'a GET': async (learner) => {
        await bySoap(learner, 'AB-1234');
        await postToRest(learner);
      },
      'a GET, with a hint': async (learner) => {
        await hint(learner, 'same-vehicle');
        await postToRest(learner, '');
      },
      'a GET, with nothing before': (learner) => postToRest(learner),
      'a number that is not there, by SOAP as well': async (learner) => {
        await byRest(learner, 'XX-1234');
        await bySoap(learner, 'AB-1234');
      },
      'more than the headers': async (learner) => {
        await bySoap(learner, 'AB-1234');
        await postToRest(learner);
        await learner.bare('HEAD', '/vehicle-registry/v2/vehicles/AB-1234');
      },
      'no vehicle, and then one by SOAP': async (learner) => {
        await bySoap(learner, 'XX-1234');
        await byRest(learner, 'XX-1234');
        await bySoap(learner, 'AB-1234');
      },
      'another vehicle, and then no address': async (learner) => {
        await byRest(learner, 'AB-1234');
        await bySoap(learner, 'EL-0021');
        await learner.bare('GET', '/vehicle-registry/v2/EL-0021');
      },
      'another vehicle, and then a PUT': async (learner) => {
        await byRest(learner, 'AB-1234');
        await bySoap(learner, 'EL-0021');
        await learner.bare('PUT', '/vehicle-registry/v2/vehicles/EL-0021');
      },
    },
    remarks: {
      'another vehicle': /SOAP was AB-1234, not AA-0001/,
      'another vehicle, REST first': /by REST v2 was AB-1234, not AA-0001/,
      'no vehicle': /^No vehicle has this number/,
      'twice by REST': /by REST v2 only/,
      'a number that is not there': /REST v2 knows no vehicle/,
      'no address': /which address REST v2 has for a vehicle/,
      'a GET': /^You sent a POST to REST v2/,
      'a GET, with a hint': /^You sent a POST to REST v2/,
      'more than the headers': /^HEAD gives no body/,
      'no vehicle, and then one by SOAP': /^By SOAP you found AB-1234/,
      'another vehicle, and then no address': /which address REST v2 has for a vehicle/,
      'another vehicle, and then a PUT': /^You sent a PUT to REST v2/,
      'a GET, with nothing before': /You sent a POST to REST v/,
    },
  },

  'no-vin': {
    async solve(learner) {
      const lookup = await byRest(learner, 'AA-0005');
      equal((await answer(learner, 'no-vin', 'AA-0005')).correct, true);
      return lookup;
    },
    alsoSolvedBy: {
      'by SOAP, and written otherwise': async (learner) => {
        await bySoap(learner, 'AA-0010');
        await answer(learner, 'no-vin', ' aa0010 ');
      },
    },
    misses: {
      'one that was not looked up': async (learner) => {
        await byRest(learner, 'AA-0010');
        await wrong(learner, 'AA-0005', /Look it up, with a path/);
        await wrong(learner, 'It is AA-0010.', /^Send the registration number alone/);
      },
      'one with a VIN': async (learner) => {
        await byRest(learner, 'AA-0001');
        await wrong(learner, 'AA-0001', /has a VIN/);
      },
      'one with a VIN, by SOAP': async (learner) => {
        await bySoap(learner, 'AA-0001');
        await wrong(learner, 'AA-0001', /has a VIN/);
      },
      'a number that is not there': async (learner) => {
        await bySoap(learner, 'XX-1234');
        await wrong(learner, 'xx1234', /Your lookup found no vehicle/);
      },
      'a number that is not there, by REST': async (learner) => {
        await byRest(learner, 'XX-1234');
        await wrong(learner, 'XX-1235', /Look it up, with a path/);
        await wrong(learner, 'XX-1234', /Your lookup found no vehicle/);
      },
      'a search that is not over': async (learner) => {
        for (const lookup of [bySoap, byRest])
          for (const number of ['AA-0001', 'XX-1234']) {
            await lookup(learner, number);
            equal((await stateOf(learner, 'no-vin')).lastWord.code, 'on-the-way', number);
          }
      },
      'no envelope': (learner) => post(learner, '<a/>'),
      'no text': async (learner) => {
        await byRest(learner, 'AA-0005');
        await wrong(learner, ['AA-0005'], /as a text/);
      },
    },
    remarks: { 'no envelope': /^This call was refused with 500 soap:Client/ },
  },

  'old-service-ends': {
    solve: async (learner) => {
      await sunset(learner);
      await bySoap(learner, 'AB-1234');
      await byRest(learner, 'ab1234');
    },
    alsoSolvedBy: {
      'elements with a prefix': async (learner) => {
        await sunset(learner);
        await post(
          learner,
          envelope(
            `<v:GetVehicleDataRequest xmlns:v="${registry}"><v:RegNumber>AB-1234</v:RegNumber></v:GetVehicleDataRequest>`,
          ),
        );
        await byRest(learner, 'AB-1234');
      },
      'the first of two vehicles': async (learner) => {
        await sunset(learner);
        await inTurn(learner, 'AB-1234', 'AB-1235');
        await byRest(learner, 'AB-1234');
      },
      'an attribute, and a section of text': async (learner) => {
        await sunset(learner);
        await post(learner, envelope(request('<RegNumber id="1"><![CDATA[AB-1234]]></RegNumber>')));
        await byRest(learner, 'AB-1234');
      },
    },
    misses: {
      'SOAP again': async (learner) => {
        await sunset(learner);
        await inTurn(learner, 'AB-1234', 'AB-1234');
      },
      'another vehicle': async (learner) => {
        await sunset(learner);
        await bySoap(learner, 'AB-1234');
        await byRest(learner, 'AB-1235');
      },
      'no vehicle': async (learner) => {
        await sunset(learner);
        await bySoap(learner, 'AB-1234');
        await byRest(learner, 'XX-1234');
      },
      'the drill never on': async (learner) => {
        for (const _ of [1, 2]) {
          await bySoap(learner, 'AB-1234');
          await byRest(learner, 'AB-1234');
        }
      },
      'the drill on, SOAP last': async (learner) => {
        await bySoap(learner, 'AB-1234');
        await byRest(learner, 'AB-1234');
        await bySoap(learner, 'AB-1234');
      },
      'SOAP, once the drill is on': async (learner) => {
        await bySoap(learner, 'AB-1234');
        await byRest(learner, 'AB-1234');
        await sunset(learner);
        await byRest(learner, 'AB-1234');
      },
      'the drill on, with a hint': async (learner) => {
        await hint(learner, 'old-service-ends');
        await bySoap(learner, 'AB-1234');
      },
      'SOAP, with a hint': async (learner) => {
        await hint(learner, 'old-service-ends');
        await byRest(learner, 'AB-1234');
      },
      'an envelope: it is JSON': async (learner) => {
        await sunset(learner);
        await learner.bare('POST', soapPath, { json: { regNumber: 'AB-1234' } });
        await byRest(learner, 'AB-1234');
      },
      'an envelope of v1': async (learner) => {
        await sunset(learner);
        await post(learner, '<RegNumber>AB-1234</RegNumber>');
        await byRest(learner, 'AB-1234');
      },
      'a number': async (learner) => {
        await sunset(learner);
        await bySoap(learner, '');
      },
      'an envelope that the log has whole': async (learner) => {
        await sunset(learner);
        await post(learner, envelope(request(`<RegNumber>AB-1234</RegNumber>${' '.repeat(2000)}`)));
      },
      'SOAP again, as JSON': async (learner) => {
        await sunset(learner);
        await bySoap(learner, 'AB-1234');
        await learner.bare('POST', soapPath, { json: { regNumber: 'AB-1234' } });
      },
      'a GET of REST v2': async (learner) => {
        await sunset(learner);
        await bySoap(learner, 'AB-1234');
        await postToRest(learner);
      },
      'the address of REST v2': async (learner) => {
        await sunset(learner);
        await bySoap(learner, 'AB-1234');
        await learner.bare('GET', '/vehicle-registry/v2/AB-1234');
      },
      'the WSDL alone': async (learner) => {
        await sunset(learner);
        await learner.bare('GET', `${soapPath}?wsdl`);
        await byRest(learner, 'AB-1234');
      },
      'the drill over': async (learner) => {
        await sunset(learner);
        await bySoap(learner, 'AB-1234');
        await learner.call('DELETE', '/range/v1/me/drills/sunset');
        await bySoap(learner, 'AB-1234');
      },
      'more than the headers': async (learner) => {
        await sunset(learner);
        await bySoap(learner, 'AB-1234');
        await learner.bare('HEAD', '/vehicle-registry/v2/vehicles/AB-1234');
      },
    },
    remarks: {
      'SOAP again': /410 is final/,
      'another vehicle': /This was AB-1235\. The lookup that was refused was of AB-1234/,
      'no vehicle': /knows no vehicle/,
      'the drill never on': /No lookup by SOAP v1 was refused yet/,
      'the drill on, SOAP last': /has not ended for you/,
      'SOAP, once the drill is on': /No lookup by SOAP v1 was refused yet/,
      'the drill on, with a hint': /has not ended for you/,
      'SOAP, with a hint': /No lookup by SOAP v1 was refused yet/,
      'an envelope: it is JSON': /what you sent was no right lookup/,
      'an envelope of v1': /what you sent was no right lookup/,
      'a number': /what you sent was no right lookup/,
      'SOAP again, as JSON': /410 is final/,
      'a GET of REST v2': /^You sent a POST to REST v2/,
      'the address of REST v2': /which address REST v2 has for a vehicle/,
      'the WSDL alone': /Send a lookup/,
      'the drill over': /The drill is over/,
      'more than the headers': /^HEAD gives no body/,
    },
    done: {
      'SOAP again': 1,
      'SOAP again, as JSON': 1,
      'a GET of REST v2': 1,
      'the address of REST v2': 1,
      'another vehicle': 1,
      'no vehicle': 1,
      'the drill over': 1,
      'more than the headers': 1,
    },
  },
});
