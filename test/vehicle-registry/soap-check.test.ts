import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultEnvelope, vehicleEnvelope } from '../../src/vehicle-registry/soap-answer.ts';
import { vehicleOf } from './plates.ts';
import { soapFaults } from './soap-check.ts';

/* The check that all tests of the SOAP service rely on, fed with answers that are amiss. */

const xml = 'text/xml; charset=utf-8';
const vehicle = vehicleEnvelope(vehicleOf('AB-1234'));
const fault = faultEnvelope({ code: 'Client', message: 'no' });

function faults(method: string, status: number, text: string, type = xml, more: Record<string, string> = {}): string {
  const headers = new Headers({ 'X-Request-Id': 'x', 'Content-Type': type, ...more });
  return soapFaults(method, { status, headers, text, json: undefined }).join();
}

test('Legacy SOAP operation: the check takes a vehicle, a fault, a page and a 405 as they should be', () => {
  assert.equal(faults('POST', 200, vehicle), '');
  assert.equal(faults('POST', 500, fault), '');
  assert.equal(faults('GET', 500, fault), '');
  assert.equal(faults('GET', 200, '<p>', 'text/html; charset=utf-8'), '');
  assert.equal(faults('PUT', 405, 'no', 'text/plain; charset=utf-8', { Allow: 'GET, HEAD, POST' }), '');
});

test('Legacy SOAP operation: the check notices what is amiss', () => {
  assert.match(faults('POST', 500, '{}', 'application/problem+json'), /content type/);
  assert.match(faults('POST', 413, fault), /413 has no place/);
  assert.match(faults('POST', 200, fault), /status of this message is 200/);
  assert.match(faults('POST', 500, vehicle), /status of this message is 500/);
  assert.match(faults('POST', 200, '<p>', 'text/html; charset=utf-8'), /content type/);
  assert.match(faults('POST', 200, vehicle, 'text/xml'), /content type/);
  assert.match(faults('POST', 200, vehicle.replace('>PETROL<', '>petrol<')), /FuelType/);
  assert.match(faults('POST', 200, vehicle.replace(/<Make>.*<\/Make>/, '')), /Make/);
  assert.match(faults('POST', 200, vehicle.replace('</soap:Envelope>', '')), /./);
  assert.match(faults('GET', 200, vehicle), /./);
  assert.match(faults('HEAD', 200, vehicle), /has a body/);
  assert.match(faults('POST', 200, vehicle, xml, { 'RateLimit-Limit': '60' }), /ratelimit-limit/);
  assert.match(faults('PUT', 405, 'no', 'text/plain; charset=utf-8'), /Allow/);
});
