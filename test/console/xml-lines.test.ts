import { deepEqual, equal, ok } from 'node:assert/strict';
import { describe, test } from 'node:test';
import { soapOf, xmlLines } from '../../console/model/xml-lines.ts';

const shown = (text: string) => xmlLines(text)?.map((line) => line.text);

const request =
  '<?xml version="1.0"?><s:Envelope xmlns:s="a>b"><s:Body><GetVehicleDataRequest xmlns="urn:v"><RegNumber>AB&#45;1&lt;</RegNumber><Empty/></GetVehicleDataRequest></s:Body></s:Envelope>';

describe('Console, XML for reading', () => {
  test('each element has a line, or one with its text, indented by its depth', () => {
    deepEqual(shown(request), [
      '<?xml version="1.0"?>',
      '<s:Envelope xmlns:s="a>b">',
      '  <s:Body>',
      '    <GetVehicleDataRequest xmlns="urn:v">',
      '      <RegNumber>AB&#45;1&lt;</RegNumber>',
      '      <Empty/>',
      '    </GetVehicleDataRequest>',
      '  </s:Body>',
      '</s:Envelope>',
    ]);
  });

  test('what was laid out already stays as it is', () => {
    const laidOut = (shown(request) ?? []).join('\n');
    equal(shown(laidOut)?.join('\n'), laidOut);
  });

  test('comments, CDATA and mixed content keep their text', () => {
    deepEqual(shown('<a><!-- <b> --><![CDATA[<c>]]>text<d></d></a>'), [
      ...['<a>', '  <!-- <b> -->', '  <![CDATA[<c>]]>', '  text', '  <d></d>', '</a>'],
    ]);
  });

  test('what was cut off, or is wrong, stands as it is', () => {
    for (const [text, lines] of [
      ['<a><b>te', ['<a>', '  <b>', '    te']],
      ['<a><b x="1', ['<a>', '  <b x="1']],
      ['<a><!-- never', ['<a>', '  <!-- never']],
      ['</a></b><c/>', undefined],
      ['<a></a></b><c/>', ['<a></a>', '</b>', '<c/>']],
      ['no XML', undefined],
    ] as const) {
      deepEqual(shown(text), lines, text);
    }
  });

  test('a body of 16 KiB that is hostile takes no long time', () => {
    for (const text of [
      '<!--'.repeat(4096),
      '<a '.repeat(5000),
      '<a "'.repeat(4096),
      '<a>'.repeat(5461),
      `<${'<'.repeat(16_000)}`,
    ]) {
      // The quickest of a few, in processor time: a busy machine counts for nothing.
      const times = [1, 2, 3].map(() => {
        const before = process.threadCpuUsage();
        xmlLines(`<r>${text}`);
        soapOf(`<r>${text}`);
        const { user, system } = process.threadCpuUsage(before);
        return (user + system) / 1_000;
      });
      ok(Math.min(...times) < 100, `${text.slice(0, 8)}: ${times} ms`);
    }
  });

  test('of an envelope the operation and its fields are told', () => {
    deepEqual(soapOf(request), { operation: 'GetVehicleDataRequest', fields: [{ name: 'RegNumber', value: 'AB-1<' }] });
    const fault =
      '<e:Envelope><e:Header><x>no</x></e:Header><e:Body><e:Fault><faultcode>e:Client</faultcode><detail><F><Message>It <![CDATA[<is>]]> so.</Message></F></detail></e:Fault></e:Body></e:Envelope>';
    deepEqual(soapOf(fault), {
      operation: 'Fault',
      fields: [
        { name: 'faultcode', value: 'e:Client' },
        { name: 'Message', value: 'It <is> so.' },
      ],
    });
    equal(soapOf('<a><b>1</b></a>'), undefined);
  });
});
